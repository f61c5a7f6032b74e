// The same phases of one plan on WASM and on WebGPU, from the same numbers: every tensor must agree afterwards.
import type { CpuExecutor } from '../../wasm/runtime/cpu-executor.js';
import { createGpuExecutor } from '../../wasm/runtime/gpu-executor.js';
import type { Traits } from '../../wasm/runtime/gpu-shaders.js';
import type { Phase, PlanInfo, TensorInfo } from '../../wasm/runtime/types.js';

export interface Comparison {
  plan: PlanInfo;
  /** Runs the plan in WASM memory. */
  host: CpuExecutor;
  phases: Phase[];
  /** Written before the run, by tensor; several entries make a plan of as many models. Default: what `host` holds. */
  starts?: Record<string, ArrayLike<number>>[];
  device: GPUDevice;
  traits?: Traits;
  /** Tensors that must have the same bits; any NaN equals any other. */
  sameBits?: string[];
  /** Tensors whose every value must be right by itself; else 2e-5 of the tensor's largest may be missing. */
  eachValue?: string[];
  /** What may be missing besides, by tensor. Default: 1e-6 for a loss, the logarithm of a rounded sum. */
  slack?: Record<string, number>;
  /** Tensors left out. */
  except?: string[];
}

type Tensors = Map<string, Float32Array>;

/** One line for every tensor that differs by more than 2e-5, or in a second run by a bit; none when all agree. */
export async function comparePhases(request: Comparison): Promise<string[]> {
  const { plan, host, phases, starts = [{}], sameBits = [], eachValue = [], except = [] } = request;
  const held = copyAll(plan, host);
  const befores = starts.map((start) => new Map([...held, ...floatsOf(plan, start)]));
  const rights = befores.map((before) => {
    for (const tensor of plan.tensors) host.write(tensor, before.get(tensor.name)!);
    host.run(phases);
    return copyAll(plan, host);
  });
  const [got, again] = await runTwiceOnGpu(severalModels(plan, starts.length), join(befores), request);
  const right = join(rights);
  return plan.tensors
    .filter(({ name }) => !except.includes(name))
    .flatMap((tensor) => {
      const each = eachValue.includes(tensor.name) || isPacked(tensor);
      const slack = request.slack?.[tensor.name] ?? (isLoss(tensor) ? 1e-6 : flushed);
      const limit = sameBits.includes(tensor.name) ? null : { each, slack };
      const [first, second] = [got.get(tensor.name)!, again.get(tensor.name)!];
      return [
        ...difference(tensor.name, first, right.get(tensor.name)!, limit),
        ...difference(`${tensor.name} of a second run`, second, first, null),
      ];
    });
}

function copyAll(plan: PlanInfo, host: CpuExecutor): Tensors {
  return new Map(plan.tensors.map((tensor) => [tensor.name, host.copy(tensor)]));
}

function floatsOf(plan: PlanInfo, start: Record<string, ArrayLike<number>>): [string, Float32Array][] {
  return Object.entries(start).map(([name, values]) => {
    const tensor = plan.tensors.find((candidate) => candidate.name === name);
    if (tensor?.size !== values.length) throw new Error(`${name} is no tensor of ${values.length} numbers`);
    // Copied, not converted, where they are floats already: a conversion would quiet a NaN.
    return [name, values instanceof Float32Array ? values.slice() : Float32Array.from(values)];
  });
}

/** Each tensor of all models, one after the other. */
function join(models: Tensors[]): Tensors {
  return new Map(
    [...models[0]!.keys()].map((name) => {
      const parts = models.map((tensors) => tensors.get(name)!);
      const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
      parts.forEach((part, i) => joined.set(part, i * part.length));
      return [name, joined];
    }),
  );
}

/** The plan for n times as many models. */
export function severalModels(plan: PlanInfo, n: number): PlanInfo {
  let nFloat = 0;
  const tensors = plan.tensors.map((tensor): TensorInfo => {
    const grown = { ...tensor, nModel: tensor.nModel * n, size: tensor.size * n, offset: nFloat };
    nFloat += Math.ceil(grown.size / 64) * 64;
    return grown;
  });
  const phases = Object.fromEntries(
    Object.entries(plan.phases).map(([phase, dispatches]) => [
      phase,
      dispatches.map((dispatch) => ({
        ...dispatch,
        grid: [dispatch.grid[0], dispatch.grid[1], dispatch.grid[2] * n] as [number, number, number],
      })),
    ]),
  ) as PlanInfo['phases'];
  return { ...plan, nFloat, tensors, phases };
}

/** Two runs from the same numbers. */
async function runTwiceOnGpu(
  plan: PlanInfo,
  before: Tensors,
  { phases, device, traits }: Comparison,
): Promise<[Tensors, Tensors]> {
  const executor = await createGpuExecutor({ plan, device, phases, traits });
  const run = async (): Promise<Tensors> => {
    for (const tensor of plan.tensors) executor.write(tensor, before.get(tensor.name)!);
    await executor.run(phases);
    const arrays = await Promise.all(plan.tensors.map((tensor) => executor.read(tensor)));
    return new Map(plan.tensors.map(({ name }, i) => [name, arrays[i]!]));
  };
  try {
    return [await run(), await run()];
  } finally {
    executor.free();
  }
}

/** Tensors that hold numbers of different kinds, so that none may hide behind the largest. */
const isPacked = ({ name, role }: TensorInfo): boolean =>
  role === 'statistic' || /^(control|latch|ring|partial|loss|loss\.rows)$/.test(name);

const isLoss = ({ name }: TensorInfo): boolean => name === 'loss' || name === 'loss.rows';

/** Numbers below the smallest normal one are 0 on many GPUs, and with them what they are factors of. */
const flushed = 1e-35;

/** limit null: the same bits. each: relative to every value, not to the tensor's largest. */
function difference(
  name: string,
  got: Float32Array,
  right: Float32Array,
  limit: { each: boolean; slack: number } | null,
): string[] {
  const largest = right.reduce((most, v) => (Number.isFinite(v) ? Math.max(most, Math.abs(v)) : most), 0);
  const agree = (a: number, b: number): boolean => {
    if (Object.is(a, b) || (limit && a === b)) return true;
    if (!limit || !Number.isFinite(a) || !Number.isFinite(b)) return false;
    return Math.abs(a - b) <= 2e-5 * (limit.each ? Math.abs(b) : largest) + limit.slack;
  };
  const wrong = Array.from(right.keys()).filter((i) => !agree(got[i]!, right[i]!));
  if (wrong.length === 0) return [];
  const first = wrong.slice(0, 3).map((i) => `[${i}] ${got[i]} instead of ${right[i]}`);
  return [`${name}: ${wrong.length} of ${right.length} differ: ${first.join(', ')}`];
}
