/** Rules of the package that are plain functions. */
import { VerdictTracker } from '../worker/verdict.js';
import { checkInteger, elementCount } from './checks.js';
import { floatIndex, startEngine } from './core.js';
import { dispatchPlan, uniformLayout, type ParamField } from './gpu-layout.js';
import type { Op, OpInputs } from './testing-inputs.js';

async function lrSchedule(at: OpInputs): Promise<Record<string, unknown>> {
  const engine = await startEngine();
  const [W, N, most, least] = [at.count('W'), at.count('N'), at.number('max'), at.number('min', 0)];
  const steps = at.list('it');
  return { lr: steps.map((step) => engine.scheduledRate(checkInteger('it', step), most, least, W, N)) };
}

/** The verdict that ends training runs, fed with losses alone. */
function divergenceGuard(at: OpInputs): Record<string, unknown> {
  const tracker = new VerdictTracker();
  const losses = Array.from(at.required('losses'));
  const stopped = losses.findIndex((loss, step) => tracker.take({ step, loss }));
  const { bestLoss, bestStep, code } = tracker.verdict('finished');
  return { stopped_at_index: stopped < 0 ? null : stopped, best: bestLoss, best_index: bestStep, code };
}

function pointerToIndex(at: OpInputs): Record<string, unknown> {
  return { index: at.list('pointer').map((pointer) => floatIndex(pointer, at.countOr('element_bytes', 4, 1))) };
}

function countElements(at: OpInputs): Record<string, unknown> {
  return { count: elementCount(checkInteger('rows', at.single('rows')), checkInteger('d', at.single('d'), 1)) };
}

/** For each number of workgroups the three dimensions of its dispatch. */
function planDispatches(at: OpInputs): Record<string, unknown> {
  const limit = at.countOr('max_per_dimension', 65535, 1);
  return { dispatches: at.list('groups').map((groups) => dispatchPlan(groups, limit)) };
}

/** "rows: u32, d: u32, eps: f32" */
function layOutUniform(at: OpInputs): Record<string, unknown> {
  const fields = String(at.params.struct)
    .split(',')
    .map((field) => field.split(':').map((part) => part.trim()) as [string, ParamField['type']]);
  const values = Object.fromEntries(fields.map(([name]) => [name, Number(at.single(name) ?? 0)]));
  const bytes = uniformLayout(
    fields.map(([name, type]) => ({ name, type })),
    values,
  );
  return { bytes_hex_le: Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''), size: bytes.length };
}

export const RULE_OPS: Record<string, Op> = {
  lr_schedule: lrSchedule,
  divergence_guard: divergenceGuard,
  pointer_to_index: pointerToIndex,
  element_count: countElements,
  dispatch_plan: planDispatches,
  uniform_layout: layOutUniform,
};
