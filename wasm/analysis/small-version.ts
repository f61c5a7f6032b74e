/** A smaller model of the same wiring: what a sanity check measures and trains. */
import type { ModelSpec } from '../runtime/types.js';

export interface Size {
  nLayer: number;
  dModel: number;
  nBatch: number;
  nCtx: number;
}

const MOST: Size = { nLayer: 6, dModel: 32, nBatch: 4, nCtx: 32 };
const QUICK: Size = { nLayer: 3, dModel: 32, nBatch: 2, nCtx: 16 };

/** The spec with no size above `MOST` (`QUICK`); the same object's fields where it is small already. */
export function smallVersion(spec: Required<ModelSpec>, quick: boolean): { spec: ModelSpec; size: Size } {
  const most = quick ? QUICK : MOST;
  const size: Size = {
    nLayer: Math.min(spec.nLayer, most.nLayer),
    dModel: Math.min(spec.dModel, most.dModel),
    nBatch: Math.min(spec.nBatch, most.nBatch),
    nCtx: Math.min(spec.nCtx, most.nCtx),
  };
  const narrower = size.dModel < spec.dModel;
  return {
    size,
    spec: {
      ...spec,
      ...size,
      earlyFraction: earlyFraction(spec, size.nLayer),
      nHead: narrower ? [4, 2, 1].find((heads) => heads <= spec.nHead)! : spec.nHead,
      dFF: narrower ? Math.min(spec.dFF, 4 * size.dModel) : spec.dFF,
      nVocab: narrower ? 0 : spec.nVocab,
    },
  };
}

/** Blocks that the wiring sets apart stay apart: with few layers, their share alone would round down to none. */
function earlyFraction(spec: Required<ModelSpec>, nLayer: number): number {
  const early = (layers: number): number => Math.floor(spec.earlyFraction * layers + 1e-9);
  return early(spec.nLayer) >= 1 && early(nLayer) === 0 ? 1 / nLayer : spec.earlyFraction;
}

export const isSmaller = (size: Size, spec: Required<ModelSpec>): boolean =>
  size.nLayer < spec.nLayer || size.dModel < spec.dModel;
