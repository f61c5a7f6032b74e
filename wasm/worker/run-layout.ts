import type { Device, PlanInfo } from '../runtime/types.js';
import type { RunLayout } from './protocol.js';

/** What a client must know of a planned run to read its rows. */
export function layoutOf(run: string, plan: PlanInfo, device: Device, gpuBytes: number): RunLayout {
  const { spec, dataset, nParameter, observe } = plan;
  const { points, groups, rowWidth } = observe!;
  return { info: { run, spec, dataset: dataset!, points, groups, nParameter, device, gpuBytes }, rowWidth };
}
