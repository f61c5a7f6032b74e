/** The different residual steps of a wiring, for diagrams and equations. */
import type { BlockWiring } from '../../charts/block-diagram.js';
import type { NormSlots } from 'normscope';
import type { Wiring } from './wiring.js';

export type StepName = 'every' | 'attention' | 'mlp' | 'early' | 'late' | 'late-attention' | 'late-mlp';

export interface Step extends BlockWiring {
  name: StepName;
}

/** One entry where all steps are alike; else attention and MLP, early and late blocks apart. */
export function stepsOf(wiring: Wiring): Step[] {
  const attention = stepOf(wiring, 'same', false);
  const mlp = stepOf(wiring, wiring.mlpNorms, wiring.mlpSkip === 'normed');
  const early = stepOf(wiring, wiring.earlyNorms, false);
  const split = !alike(attention, mlp);
  const mixed = wiring.earlyFraction > 0 && !(alike(early, attention) && alike(early, mlp));
  if (!split && !mixed) return [{ name: 'every', ...attention }];
  if (!mixed)
    return [
      { name: 'attention', ...attention },
      { name: 'mlp', ...mlp },
    ];
  const late: Step[] = split
    ? [
        { name: 'late-attention', ...attention },
        { name: 'late-mlp', ...mlp },
      ]
    : [{ name: 'late', ...attention }];
  return [{ name: 'early', ...early }, ...late];
}

function stepOf(wiring: Wiring, norms: NormSlots, skipNormed: boolean): BlockWiring {
  const has = (slot: 'input' | 'output' | 'stream', own: boolean) =>
    norms === 'same' ? own : norms.split('-').includes(slot);
  const { residual, alpha, alphaRule, branchScale, depthScale } = wiring;
  const normInput = has('input', wiring.normInput);
  return {
    residual,
    normInput,
    normOutput: has('output', wiring.normOutput),
    normStream: has('stream', wiring.normStream),
    skipScaled: residual && (alphaRule !== 'fixed' || alpha !== 1),
    branchScaled: branchScale !== 'none',
    depthScaled: depthScale !== 'none' && normInput,
    skipNormed: skipNormed && residual && normInput,
  };
}

function alike(a: BlockWiring, b: BlockWiring): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** "x ← N(αx + Δt·N(f(N(x))))", from the same fields as the diagram. */
export function equationOf(step: BlockWiring): string {
  const inner = `${step.depthScaled ? 'N(x)/√l' : step.normInput ? 'N(x)' : 'x'}`;
  const branch = `f(${inner})`;
  const out = step.normOutput ? `N(${branch})` : branch;
  const scaled = `Δt·${step.branchScaled ? `s⊙${out}` : out}`;
  const skip = `${step.skipScaled ? 'α·' : ''}${step.skipNormed ? 'N(x)' : 'x'}`;
  const sum = step.residual ? `${skip} + ${scaled}` : step.branchScaled ? `s⊙${out}` : out;
  return `x ← ${step.normStream ? `N(${sum})` : sum}`;
}
