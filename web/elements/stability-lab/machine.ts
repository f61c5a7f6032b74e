/** Where the runs compute, and what they take: from the package's answers, without words. */
import { planMemory, planModel } from 'normscope';
import type { DeviceChoice, TrainingData } from 'normscope';
import type { RunRecord } from './metric-store.js';
import type { LabRun } from './settings.js';

export const WISHES = ['auto', 'wasm', 'webgpu'] as const;
export type Wish = (typeof WISHES)[number];

/** 'webgpu' → webgpu; what is no name of a device leaves the choice to the package. */
export function parseWish(name: string | null | undefined): Wish {
  return WISHES.find((wish) => wish === name?.trim().toLowerCase()) ?? 'auto';
}

/** Runs that compute in one place for one reason. */
export interface MachineGroup {
  choice: DeviceChoice;
  records: RunRecord[];
}

/** In the order in which the runs stand. */
export function machineGroups(records: readonly RunRecord[]): MachineGroup[] {
  const groups = new Map<string, MachineGroup>();
  for (const record of records) {
    const { device, reason, adapter } = record.choice;
    const key = [device, reason, adapter].join(' ');
    const group = groups.get(key) ?? { choice: record.choice, records: [] };
    group.records.push(record);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Bytes on the GPU: seeds of one wiring share a plan, which counts once. */
export function bytesOnGpu(records: readonly RunRecord[]): number {
  const onGpu = records.filter(({ gpuBytes }) => gpuBytes > 0);
  const plans = new Map(onGpu.map((record) => [planKey(record), record.gpuBytes]));
  return [...plans.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** Within an experiment wirings and seeds differ, nothing else. */
function planKey({ info: { spec } }: RunRecord): string {
  return JSON.stringify({ ...spec, placement: '', seed: 0 });
}

/** Fewest and most parameters of a run. */
export function parameterRange(records: readonly RunRecord[]): readonly [number, number] {
  const counts = records.map(({ info }) => info.nParameter);
  return [Math.min(...counts), Math.max(...counts)];
}

/** Bytes that the runs need by their plans, made for this without allocating anything: one plan per placement. */
export async function plannedBytes(runs: readonly LabRun[], data: TrainingData): Promise<number> {
  const firsts = runs.filter((run, i) => runs.findIndex(({ placement }) => placement === run.placement) === i);
  let sum = 0;
  for (const { placement, spec } of firsts) {
    const { bytes } = planMemory(await planModel({ spec, data }));
    sum += bytes.total * runs.filter((run) => run.placement === placement).length;
  }
  return sum;
}
