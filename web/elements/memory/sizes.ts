/** The models whose memory is planned: the reader's own, and GPT-2 in its four sizes. */
import type { ModelSpec, TrainingData } from 'normscope';

/** Blocks, width and heads of GPT-2 (Radford et al. 2019), by the names that their parameter counts gave them. */
export const GPT2 = {
  '124M': { nLayer: 12, dModel: 768, nHead: 12 },
  '355M': { nLayer: 24, dModel: 1024, nHead: 16 },
  '774M': { nLayer: 36, dModel: 1280, nHead: 20 },
  '1.5B': { nLayer: 48, dModel: 1600, nHead: 25 },
} as const satisfies Record<string, Pick<ModelSpec, 'nLayer' | 'dModel' | 'nHead'>>;

export type SizeName = 'own' | keyof typeof GPT2;
export const SIZES: readonly SizeName[] = ['own', ...(Object.keys(GPT2) as (keyof typeof GPT2)[])];

export interface SizeOrder {
  spec: ModelSpec;
  /** Gives the vocabulary where the spec does not. */
  data?: TrainingData;
}

/** What to plan for a size: the same wiring and training, with GPT-2's context and vocabulary. */
export function orderOf(size: SizeName, spec: ModelSpec, data: TrainingData, nBatch: number): SizeOrder {
  if (size === 'own') return { spec, data };
  return { spec: { ...spec, ...GPT2[size], dFF: 0, nCtx: 1024, nVocab: 50_257, nBatch } };
}
