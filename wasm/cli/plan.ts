/** normscope plan: what training a model takes. That it fits nowhere is an answer: exit code 0. */
import { planMemory, type PlannedMemory, planModel } from 'normscope';
import type { CliMessages } from '../../web/locales/cli.js';
import type { Language } from '../../web/locales/language.js';
import { formatBytes, formatCount } from '../../web/locales/numbers.js';
import { type Command, requestOf, SPEC_OPTIONS } from './command.js';
import { json, print, table } from './terminal.js';

export const planCommand: Command = {
  options: SPEC_OPTIONS,
  async run(context) {
    const { base: spec, data = { kind: 'markov' }, name } = requestOf(context, 'plan');
    const planned = planMemory(await planModel({ spec, data }));
    print(
      context.given.flag('json') ? json(planned) : `${name}\n${inWords(planned, context.text, context.language)}\n`,
    );
    return 0;
  },
};

function inWords(planned: PlannedMemory, { plan: words }: CliMessages, language: Language): string {
  const size = (bytes: number): string => formatBytes(bytes, language);
  const roles = Object.keys(words.role) as (keyof typeof words.role)[];
  return [
    words.parameters(formatCount(planned.parameters, language)),
    table(
      words.heads,
      roles.map((role) => [words.role[role], size(planned.bytes[role])]),
    ),
    ...whereItFits(planned, words, size),
  ].join('\n');
}

function whereItFits(
  { buffers, largestBuffer, refusal, wasmRefusal }: PlannedMemory,
  words: CliMessages['plan'],
  size: (bytes: number) => string,
): string[] {
  const wasm = wasmRefusal ? words.wasmRefusal(wasmRefusal.tensor, size(wasmRefusal.limit)) : words.fits;
  const webgpu = refusal
    ? words.webgpuRefusal(refusal.tensor, size(refusal.need), size(refusal.limit))
    : words.buffers(String(buffers), size(largestBuffer));
  return [`WASM: ${wasm}`, `WebGPU: ${webgpu}`];
}
