/** What makes two cells the same run: everything that its numbers depend on. */
import type { TrainingData } from '../runtime/types.js';
import type { DataIdentity, ExperimentRecord } from './types.js';

/** Long texts are read once. */
const known = new WeakMap<TrainingData, DataIdentity>();

export function identifyData(data: TrainingData): DataIdentity {
  const identity = known.get(data) ?? describeData(data);
  known.set(data, identity);
  return identity;
}

function describeData(data: TrainingData): DataIdentity {
  if (data.kind === 'markov') return { kind: 'markov', nSymbol: data.nSymbol ?? 32, seed: data.seed ?? 7 };
  if (data.kind !== 'text') return data; // refused when it is planned
  return { kind: 'text', jamo: data.jamo ?? true, length: data.text.length, hash: fnv1a64(data.text) };
}

/** FNV-1a of the UTF-8 bytes in 64 bits, as two halves: the prime is 2^40 + 0x1b3. */
export function fnv1a64(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of new TextEncoder().encode(text)) {
    low = (low ^ byte) >>> 0;
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
}

/** Equal texts: the same run, wherever it stands in whichever grid. */
export const identityOf = (record: Pick<ExperimentRecord, IdentityKey>): string =>
  JSON.stringify([record.spec, record.data, record.steps, record.evaluation, record.version, record.backend]);

export type IdentityKey = 'spec' | 'data' | 'steps' | 'evaluation' | 'version' | 'backend';
