/// <reference types="vite/client" />
// The golden runs of tests/cases/golden.txt through the package: the same table that the native test reads.
import { createSession, type ModelSpec, PLACEMENTS, type TrainingData } from 'normscope';
import { expect, it } from 'vitest';
import text from '../cases/golden-text.txt?raw';
import table from '../cases/golden.txt?raw';

interface GoldenRun {
  name: string;
  steps: number;
  data: TrainingData;
  spec: ModelSpec;
  hash: string;
}

const camelCase = (key: string): string =>
  key === 'd_ff' ? 'dFF' : key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function fieldValue(value: string): string | number | boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  return Number.isNaN(Number(value)) ? value : Number(value);
}

function parseData(words: string): TrainingData {
  const [kind, first, second] = words.split(' ');
  if (kind === 'text') return { kind, text, jamo: first === 'jamo' };
  return { kind: 'markov', nSymbol: Number(first), seed: Number(second) };
}

function parseRun(line: string): GoldenRun {
  const [name, steps, data, fields, hash] = line.split('|').map((cell) => cell.trim()) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const pairs = fields.split(';').map((field) => field.trim().split(' ') as [string, string]);
  const spec = Object.fromEntries(pairs.map(([key, value]) => [camelCase(key), fieldValue(value)])) as ModelSpec;
  return { name, steps: Number(steps), data: parseData(data), spec, hash };
}

export const goldenRuns = table
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map(parseRun);

/** FNV-1a over the bytes of floats, as golden.txt says. */
class FloatHash {
  #hash = 2166136261;
  add(values: Float32Array): void {
    const words = new Uint32Array(values.slice().buffer);
    words.forEach((word, i) => {
      const bits = Number.isNaN(values[i]) ? 0x7fc00000 : word;
      for (let shift = 0; shift < 32; shift += 8)
        this.#hash = Math.imul(this.#hash ^ ((bits >>> shift) & 0xff), 16777619);
    });
  }
  get text(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0');
  }
}

async function hashOf(run: GoldenRun): Promise<string> {
  using session = await createSession({ spec: run.spec, data: run.data, device: 'wasm' });
  const hash = new FloatHash();
  for (let step = 0; step < run.steps; step++) {
    await session.nextBatch();
    await session.run({ phases: ['forward', 'backward', 'observe', 'update'] });
    hash.add((await session.read({ name: 'loss' })).subarray(0, 1));
  }
  for (const tensor of session.tensors)
    if (tensor.role === 'parameter') hash.add(await session.read({ name: tensor.name }));
  return hash.text;
}

export function promiseGoldenRuns(): void {
  it('the table has a run for every placement', () => {
    const run = new Set(goldenRuns.map(({ spec }) => spec.placement));
    expect(PLACEMENTS.map(({ name }) => name).filter((name) => !run.has(name))).toEqual([]);
  });
  for (const run of goldenRuns)
    it(`${run.name} ends with the bits of the native build`, async () => {
      expect(await hashOf(run)).toBe(run.hash);
    });
}
