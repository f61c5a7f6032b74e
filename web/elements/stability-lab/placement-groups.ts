/** The rows of the placement table, sorted by what their fields say; a row's name decides nothing. */
import type { Placement } from 'normscope';
import { wiringOfRow, type Wiring } from '../wiring/wiring.js';

export type FamilyName = 'branch' | 'stream' | 'mixed' | 'scaled' | 'no-skip';
export const FAMILIES: readonly FamilyName[] = ['branch', 'stream', 'mixed', 'scaled', 'no-skip'];

/** Where the norms of a wiring stand: on the branch, on the stream, different by step or depth, or nowhere. */
export function familyOf(wiring: Wiring): FamilyName {
  if (!wiring.residual) return 'no-skip';
  const differs = wiring.mlpNorms !== 'same' || wiring.mlpSkip !== 'stream' || wiring.earlyFraction > 0;
  if (differs) return 'mixed';
  if (wiring.normStream) return 'stream';
  return wiring.normInput || wiring.normOutput ? 'branch' : 'scaled';
}

/** The families that have rows, in order, each with its rows in the order of the table. */
export function familiesOf(rows: readonly Placement[]): { family: FamilyName; rows: Placement[] }[] {
  const sorted = FAMILIES.map((family) => ({
    family,
    rows: rows.filter((row) => familyOf(wiringOfRow(row)) === family),
  }));
  return sorted.filter(({ rows }) => rows.length > 0);
}
