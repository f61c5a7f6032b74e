/** Rules of the package that are plain functions. */
import { VerdictTracker } from '../worker/verdict.js';
import { checkInteger, elementCount } from './checks.js';
import { floatIndex, startEngine } from './core.js';
import { NormscopeError } from './errors.js';
import { dispatchPlan, uniformLayout, type ParamField } from './gpu-layout.js';
import type { Op, OpInputs } from './testing-inputs.js';

async function lrSchedule(at: OpInputs): Promise<Record<string, unknown>> {
  const engine = await startEngine();
  const [W, N, most, least] = [at.count('W'), at.count('N'), at.number('max'), at.number('min', 0)];
  const steps = at.values('it');
  return { lr: steps.map((step) => engine.scheduledRate(checkInteger('it', step), most, least, W, N)) };
}

/** The verdict that ends training runs, fed with losses alone. */
function divergenceGuard(at: OpInputs): Record<string, unknown> {
  const tracker = new VerdictTracker();
  const stopped = at.values('losses').findIndex((loss, step) => tracker.take({ step, loss }));
  const { bestLoss, bestStep, code } = tracker.verdict('finished');
  return { stopped_at_index: stopped < 0 ? null : stopped, best: bestLoss, best_index: bestStep, code };
}

function pointerToIndex(at: OpInputs): Record<string, unknown> {
  const bytes = at.countOr('element_bytes', 4, 1);
  const index = at
    .values('pointer')
    .map((pointer) => floatIndex(checkInteger('pointer', pointer, 0, Number.MAX_SAFE_INTEGER), bytes));
  return { index };
}

function countElements(at: OpInputs): Record<string, unknown> {
  const [rows, d] = [at.single('rows'), at.single('d')];
  const count = elementCount(
    checkInteger('rows', rows, 0, Number.MAX_SAFE_INTEGER),
    checkInteger('d', d, 1, Number.MAX_SAFE_INTEGER),
  );
  if (Number.isSafeInteger(count)) return { count };
  throw new NormscopeError('too-large', `rows ${rows} × d ${d} is more than 2^53 − 1 and not an exact number any more`);
}

/** For each number of workgroups the three dimensions of its dispatch; beyond two full ones, several layers. */
function planDispatches(at: OpInputs): Record<string, unknown> {
  const limit = at.countOr('max_per_dimension', 65535, 1);
  const dispatches = at.values('groups').map((groups) => {
    const layers = Math.max(1, Math.ceil(checkInteger('groups', groups, 0, 2 ** 32 - 1) / limit ** 2));
    return dispatchPlan(Math.ceil(groups / layers), limit, layers);
  });
  return { dispatches };
}

/** "rows: u32, d: u32, eps: f32" */
function layOutUniform(at: OpInputs): Record<string, unknown> {
  const fields = String(at.param('struct')).replace(/,\s*$/, '').split(',').map(parseField);
  const values = Object.fromEntries(fields.map(({ name }) => [name, at.single(name, 0)]));
  const bytes = uniformLayout(fields, values);
  return { bytes_hex_le: Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''), size: bytes.length };
}

const SCALARS = ['u32', 'i32', 'f32'];

function parseField(text: string): ParamField {
  const [name = '', type = ''] = text.split(':').map((part) => part.trim());
  if (name && SCALARS.includes(type)) return { name, type: type as ParamField['type'] };
  throw new NormscopeError(
    'bad-option',
    `the field '${text.trim()}' is no 4-byte scalar; expected a name and one of ${SCALARS.join(', ')} (vectors and arrays would need padding)`,
  );
}

export const RULE_OPS: Record<string, Op> = {
  lr_schedule: lrSchedule,
  divergence_guard: divergenceGuard,
  pointer_to_index: pointerToIndex,
  element_count: countElements,
  dispatch_plan: planDispatches,
  uniform_layout: layOutUniform,
};
