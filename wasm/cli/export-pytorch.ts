/** normscope export-pytorch: a script of the very spec. */
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { load, type ModelSpec, NormscopeError, planModel, type TrainingData } from 'normscope';
import { toSnakeCase } from '../runtime/spec.js';
import { type Command, countOf, DEFAULT_STEPS, requestOf, SPEC_OPTIONS } from './command.js';
import { pytorchScript, type ScriptData } from './pytorch/script.js';
import type { CanonicalSpec } from './pytorch/wiring.js';
import { print } from './terminal.js';

const { set, text } = SPEC_OPTIONS;

export const exportCommand: Command = {
  options: { set, text, steps: 'text', out: 'text' },
  async run(context) {
    const request = requestOf(context, 'export-pytorch');
    const data = request.data ?? { kind: 'markov' };
    const out = context.given.text('out');
    const script = pytorchScript({
      spec: await canonicalSpec(request.base, data),
      data: scriptData(data, request.textFile),
      steps: countOf(context, 'steps') ?? request.steps ?? DEFAULT_STEPS,
      version: (await load()).version,
      name: (out ? basename(out) : `${request.name}.py`).replace(/[^\p{L}\p{N}._+-]/gu, '_'),
    });
    if (out === undefined) print(script);
    else writeFileSync(out, script);
    return 0;
  },
};

const SIZES = ['dModel', 'dFF', 'nBatch', 'nCtx', 'nVocab'] as const;

/** Every field. A model beyond what this machine can hold was checked all the same: its sizes go into a small model's spec. */
async function canonicalSpec(spec: ModelSpec, data: TrainingData): Promise<CanonicalSpec> {
  try {
    return (await planModel({ spec, data })).spec;
  } catch (error) {
    if (!(error instanceof NormscopeError && error.code === 'too-large')) throw error;
  }
  const { spec: usual } = await planModel({ spec: {} });
  const dModel = spec.nHead ?? Number(usual.n_head);
  const small = await planModel({ spec: { ...spec, dModel, dFF: 1, nBatch: 1, nCtx: 1, nVocab: 0 }, data });
  const sizes = SIZES.map((field) => [toSnakeCase(field), spec[field] ?? usual[toSnakeCase(field)]!]);
  return { ...small.spec, ...Object.fromEntries(sizes) };
}

/** A text that came from a file stays there. */
function scriptData(data: TrainingData, file: string | undefined): ScriptData {
  if (data.kind === 'markov') return { kind: 'markov', nSymbol: data.nSymbol ?? 32, seed: data.seed ?? 7 };
  const jamo = data.jamo ?? true;
  return file === undefined ? { kind: 'text', jamo, text: data.text } : { kind: 'text', jamo, file };
}
