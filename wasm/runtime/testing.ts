/** `normscope/testing`: any op of the core by name, with plain inputs, for test cases and comparisons. */
import { suggest } from './checks.js';
import { NormscopeError } from './errors.js';
import { OpInputs, type OpRequest } from './testing-inputs.js';
import { MODEL_OPS } from './testing-models.js';
import { CORE_OPS } from './testing-ops.js';
import { RULE_OPS } from './testing-rules.js';

export type { OpRequest } from './testing-inputs.js';

const OPS = { ...CORE_OPS, ...MODEL_OPS, ...RULE_OPS };

/** The names that `runOp` knows. */
export const OP_NAMES: readonly string[] = Object.keys(OPS);

/**
 * Runs one op. `inputs` may be numbers, flat or nested arrays, typed arrays or generators (`{ gen: 'tile', … }`), also
 * with the texts 'NaN' and 'Infinity'; null and absent ones take their default. What the op does not know is refused.
 * The outputs come back by name: Float32Array for tensors, numbers and texts where the op gives those.
 * @throws NormscopeError unknown-op, or whatever the op refuses
 */
export async function runOp(request: OpRequest): Promise<Record<string, unknown>> {
  const op = Object.hasOwn(OPS, request?.op) ? OPS[request.op] : undefined;
  if (!op) {
    const name = String(request?.op);
    throw new NormscopeError(
      'unknown-op',
      `there is no op '${name}'${suggest(name, OP_NAMES) || '.'} Known ops: ${OP_NAMES.join(', ')}`,
    );
  }
  const at = new OpInputs(request);
  const outputs = await op(at);
  at.checkAllRead(request.op);
  return outputs;
}
