/** normscope export-pytorch: a script of the very spec. */
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { load, planModel, type TrainingData } from 'normscope';
import { type Command, countOf, DEFAULT_STEPS, requestOf, SPEC_OPTIONS } from './command.js';
import { pytorchScript, type ScriptData } from './pytorch/script.js';
import { print } from './terminal.js';

const { set, text } = SPEC_OPTIONS;

export const exportCommand: Command = {
  options: { set, text, steps: 'text', out: 'text' },
  async run(context) {
    const request = requestOf(context, 'export-pytorch');
    const data = request.data ?? { kind: 'markov' };
    const { spec } = await planModel({ spec: request.base, data });
    const out = context.given.text('out');
    const script = pytorchScript({
      spec,
      data: scriptData(data, request.textFile),
      steps: countOf(context, 'steps') ?? request.steps ?? DEFAULT_STEPS,
      version: (await load()).version,
      name: out ? basename(out) : `${request.name}.py`,
    });
    if (out === undefined) print(script);
    else writeFileSync(out, script);
    return 0;
  },
};

/** A text that came from a file stays there. */
function scriptData(data: TrainingData, file: string | undefined): ScriptData {
  if (data.kind === 'markov') return { kind: 'markov', nSymbol: data.nSymbol ?? 32, seed: data.seed ?? 7 };
  const jamo = data.jamo ?? true;
  return file === undefined ? { kind: 'text', jamo, text: data.text } : { kind: 'text', jamo, file };
}
