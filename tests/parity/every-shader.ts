// Every shader with every set of constants, for devices with subgroups and without.
import { PASSES, SHADERS } from '../../build/generated/kernels.js';
import type { ShaderRun, Traits } from '../../wasm/runtime/gpu-shaders.js';

export interface ListedShader {
  name: string;
  run: Pick<ShaderRun, 'pass' | 'constants'>;
  traits: Traits;
}

export function everyShader(): ListedShader[] {
  const batches = Object.values(PASSES).filter(({ isBatch }) => isBatch);
  return [...Object.values(SHADERS).flat(), ...batches.map(({ name }) => ({ name, pass: name, constants: {} }))]
    .flatMap(({ name, pass, constants }) => chain(pass).map((each) => ({ name, pass: PASSES[each]!, constants })))
    .flatMap(({ name, pass, constants }) =>
      [false, true].map((subgroups) => ({
        name: `${name}${pass.name === name.split('#')[0] ? '' : ` > ${pass.name}`}${subgroups ? ' (subgroups)' : ''}`,
        run: { pass, constants },
        traits: { software: false, subgroups },
      })),
    );
}

/** The passes from `first` on. */
function chain(first: string): string[] {
  const next = PASSES[first]!.then;
  return next ? [first, ...chain(next)] : [first];
}
