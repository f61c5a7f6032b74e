/** From records to heat maps and their common scale: pure. */
import type { HeatmapModel } from '../../charts/heatmap.js';
import type { HeatQuantity, LabView } from './chart-models.js';
import { HALF_MAX, type RunRecord } from './metric-store.js';
import { groupRuns, hasDiverged } from './run-groups.js';

/** One record per placement has a map: that of its first seed. */
export function mappedRecords({ records, verdicts }: LabView): RunRecord[] {
  return groupRuns(records, verdicts).map((group) => group.records[0]!);
}

/** Colours end here, however far a run explodes: some decades past everything that still learns. */
const HEAT_TOP: Record<HeatQuantity, number> = { maxAbs: 1e8, entryVariance: 1e16 };

/** A run that broke off widens the scale to here at most: as far as fp16 reaches. */
const BROKEN_TOP: Record<HeatQuantity, number> = { maxAbs: HALF_MAX, entryVariance: HALF_MAX * HALF_MAX };

export interface HeatScale {
  domain: readonly [number, number];
  /** Some values lie above the domain and share its last colour. */
  clamped: boolean;
}

/**
 * Common colour scale of all heat maps of a quantity, at least two decades: the positive finite values of the runs that
 * have not broken off up to a fixed top, those of the others as far as fp16 reaches.
 */
export function heatScale({ records, verdicts }: LabView, quantity: HeatQuantity): HeatScale {
  const sound = records.filter((_, i) => !hasDiverged(verdicts[i]));
  const [low, all] = ends(records, quantity);
  if (!(all > 0)) return { domain: [0.1, 10], clamped: false };
  const top = Math.min(all, HEAT_TOP[quantity], Math.max(ends(sound, quantity)[1], BROKEN_TOP[quantity]));
  return { domain: [Math.min(low, top / 100), top], clamped: all > top };
}

function ends(records: readonly RunRecord[], quantity: HeatQuantity): [number, number] {
  let low = Infinity;
  let high = 0;
  for (const record of records) {
    for (const metrics of record.profiles) {
      for (const value of metrics[quantity]) {
        if (!(value > 0) || !Number.isFinite(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
  }
  return [low, high];
}

export function heatModel(record: RunRecord, quantity: HeatQuantity, domain: readonly [number, number]): HeatmapModel {
  const columns = record.profiles;
  return {
    nRow: record.info.points.length,
    nColumn: columns.length,
    value: (row, column) => columns[column]![quantity][row]!,
    domain,
  };
}
