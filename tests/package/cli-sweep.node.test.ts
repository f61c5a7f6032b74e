/** Sweeps that are split, killed, interrupted and gone on with. */
import { existsSync, readFileSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseRecords } from 'normscope';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, start } from './cli-process.js';

const SWEEP = {
  base: { nLayer: 1, dModel: 8, nHead: 2, nCtx: 8, nBatch: 2 },
  grid: { placement: ['post-ln', 'pre-ln', 'peri-ln'], seed: [1, 2, 3, 4, 5] },
  steps: 12,
};
const SLOW = { ...SWEEP, base: { ...SWEEP.base, nLayer: 2, dModel: 16 }, steps: 300 };

let folder: string;
const sweep = (...args: string[]) => call(['sweep', ...args], { cwd: folder });
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');
const linesOf = (name: string): number => (existsSync(join(folder, name)) ? textOf(name).split('\n').length - 1 : 0);

/** Waits until a sweep has written down a few runs, but not all. */
async function untilUnderWay(name: string): Promise<void> {
  while (linesOf(name) < 2) await sleep(20);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'normscope-sweep-'));
  await writeFile(join(folder, 'sweep.json'), JSON.stringify(SWEEP));
  await writeFile(join(folder, 'slow.json'), JSON.stringify(SLOW));
  expect(await sweep('sweep.json', '--out', 'whole.jsonl')).toMatchObject({ code: 0, err: '' });
  expect(await sweep('slow.json', '--out', 'slow.jsonl')).toMatchObject({ code: 0 });
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('normscope sweep', () => {
  it('leaves one record for each cell, in the order of the grid', () => {
    const records = parseRecords(textOf('whole.jsonl'));
    expect(records.map(({ index }) => index)).toEqual(Array.from({ length: 15 }, (_, i) => i));
    expect(records[6]!.cell).toEqual({ placement: 'pre-ln', seed: 2 });
  });

  it('merges two shards to the bytes of the unsplit sweep', async () => {
    await Promise.all(
      ['1/2', '2/2'].map((shard, i) => sweep('sweep.json', '--shard', shard, '--out', `part.${i}.jsonl`)),
    );
    expect([linesOf('part.0.jsonl'), linesOf('part.1.jsonl')]).toEqual([8, 7]);
    const merged = await call(['merge', 'part.1.jsonl', 'part.0.jsonl', '--complete', '--spec', 'sweep.json'], { cwd: folder }); // prettier-ignore
    expect(merged).toEqual({ code: 0, err: '', out: textOf('whole.jsonl') });
  });

  it('writes the same records to standard output as they come', async () => {
    const { code, out } = await sweep('sweep.json', '--concurrency', '1');
    expect({ code, out }).toEqual({ code: 0, out: textOf('whole.jsonl') });
  });

  it('runs nothing again that is in the file', async () => {
    await writeFile(join(folder, 'done.jsonl'), textOf('whole.jsonl').split('\n').slice(3).join('\n'));
    const before = parseRecords(textOf('done.jsonl')).map((record) => ({ ...record, bestLoss: -1 }));
    // A sign that a record was kept: it says what no run would.
    await writeFile(join(folder, 'done.jsonl'), before.map((record) => `${JSON.stringify(record)}\n`).join(''));
    expect(await sweep('sweep.json', '--out', 'done.jsonl')).toMatchObject({ code: 0 });
    const after = parseRecords(textOf('done.jsonl'));
    expect(after.map(({ bestLoss }) => bestLoss === -1)).toEqual(after.map((_, i) => i >= 3));
  });

  it('goes on after a kill and ends with the bytes of the undisturbed sweep', async () => {
    const first = start(['sweep', 'slow.json', '--out', 'killed.jsonl'], { cwd: folder });
    await untilUnderWay('killed.jsonl');
    first.kill('SIGKILL');
    await first.ended;
    const nKept = linesOf('killed.jsonl');
    expect(nKept).toBeLessThan(15);
    await appendFile(join(folder, 'killed.jsonl'), textOf('slow.jsonl').slice(0, 200)); // a line that was torn
    expect(await sweep('slow.json', '--out', 'killed.jsonl')).toMatchObject({ code: 0 });
    expect(textOf('killed.jsonl')).toBe(textOf('slow.jsonl'));
  });

  it('ends at an interrupt with what is finished, in whole lines, and goes on from there', async () => {
    const first = start(['sweep', 'slow.json', '--out', 'stopped.jsonl'], { cwd: folder });
    await untilUnderWay('stopped.jsonl');
    first.kill('SIGINT');
    const { code, err } = await first.ended;
    expect(code).toBe(130);
    expect(err).toMatch(/^normscope: Interrupted with \d+ of 15 runs done\. The same call goes on from there\.\n$/);
    expect(textOf('stopped.jsonl').endsWith('\n')).toBe(true);
    const kept = parseRecords(textOf('stopped.jsonl'));
    expect(kept.length).toBeLessThan(15);
    expect(kept.every(({ verdict }) => verdict !== 'stopped')).toBe(true);
    expect(await sweep('slow.json', '--out', 'stopped.jsonl')).toMatchObject({ code: 0 });
    expect(textOf('stopped.jsonl')).toBe(textOf('slow.jsonl'));
  });

  it('says what an interrupted sweep without a file has left', async () => {
    const running = start(['sweep', 'slow.json'], { cwd: folder });
    await new Promise((resolve) => running.stdout!.once('data', resolve));
    running.kill('SIGINT');
    const { code, err } = await running.ended;
    expect(code).toBe(130);
    expect(err).toMatch(/^normscope: Interrupted with \d+ of 15 runs done\. With --out FILE, a later call could go on/);
  });

  it('loses no record of an earlier sweep whose settings were changed since', async () => {
    const small = { ...SWEEP, grid: { seed: [1, 2] } };
    await writeFile(join(folder, 'small.json'), JSON.stringify(small));
    const args = ['small.json', '--out', 'mixed.jsonl'];
    expect(await sweep(...args)).toMatchObject({ code: 0, err: '' });
    const before = textOf('mixed.jsonl');
    const { code, err } = await sweep(...args, '--steps', '9');
    expect(code).toBe(0);
    expect(err).toMatch(/mixed\.jsonl also holds other runs/);
    expect(textOf('mixed.jsonl').startsWith(before)).toBe(true);
    expect(parseRecords(textOf('mixed.jsonl')).map(({ steps }) => steps)).toEqual([12, 12, 9, 9]);
  });

  it('touches no file that is not of records', async () => {
    const files = { 'spec.json': JSON.stringify(SWEEP), 'notes.txt': 'one\ntwo\nthree', 'cut.jsonl': textOf('whole.jsonl') + 'x' }; // prettier-ignore
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(folder, name), content);
      const { code, err } = await sweep('sweep.json', '--out', name);
      expect({ code, content: textOf(name) }).toEqual({ code: 1, content });
      expect(err).toContain(`${name} is not a file of records: `);
    }
  });

  it('says how often each cell diverged, in a table or as JSON', async () => {
    const table = await sweep('sweep.json', '--out', 'whole.jsonl');
    expect(table.out).toMatch(/^Cell +Diverged +95 % interval +Stalled +Final loss +max \|x\|\npost-ln +0\/5 +0–43 %/);
    const { out } = await sweep('sweep.json', '--out', 'whole.jsonl', '--json');
    const { cells } = JSON.parse(out) as { cells: { cell: { placement: string }; seeds: number[] }[] };
    expect(cells.map(({ cell, seeds }) => [cell.placement, seeds.length])).toEqual([['post-ln', 5], ['pre-ln', 5], ['peri-ln', 5]]); // prettier-ignore
  });

  it('fails when a cell could not be run, and keeps the others', async () => {
    const spec = { ...SWEEP, steps: 2, grid: { nHead: [2, 3] } };
    const { code, out, err } = await call(['sweep', '-'], { input: JSON.stringify(spec) });
    expect(code).toBe(1);
    expect(parseRecords(out).map(({ verdict }) => verdict === 'failed').sort()).toEqual([false, true]); // prettier-ignore
    expect(err).toContain('runs that could not be run: 1');
  });

  it(
    'knows the experiments by name and tells what they promise beside what was measured',
    { timeout: 120_000 },
    async () => {
      const small = Object.entries(SWEEP.base).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
      const { out } = await sweep('--recipe', 'A', '--thin', '--steps', '2', ...small, '--out', 'a.jsonl', '--json');
      const { findings } = JSON.parse(out) as { findings: { code: string; holds: boolean }[] };
      expect(findings.length).toBeGreaterThan(0);
      expect(findings.some(({ holds }) => !holds)).toBe(true); // two steps cannot show what the recipe is about
    },
  );
});

describe('normscope merge', () => {
  it('reports missing cells, and fails on them when asked to', async () => {
    const some = textOf('whole.jsonl').split('\n').filter((_, i) => ![0, 3, 4, 14].includes(i)).join('\n'); // prettier-ignore
    await writeFile(join(folder, 'gaps.jsonl'), some);
    const lenient = await call(['merge', 'gaps.jsonl'], { cwd: folder });
    expect(lenient).toEqual({ code: 0, out: some, err: 'normscope: missing cells: 0, 3–4\n' });
    const strict = await call(['merge', 'gaps.jsonl', '--complete', '--spec', 'sweep.json'], { cwd: folder });
    expect(strict).toMatchObject({ code: 1, err: 'normscope: missing cells: 0, 3–4, 14\n' });
  });

  it('drops a torn last line and refuses files of different sweeps', async () => {
    const whole = textOf('whole.jsonl');
    await writeFile(join(folder, 'torn.jsonl'), whole.slice(0, -40));
    const { out } = await call(['merge', 'torn.jsonl'], { cwd: folder });
    expect(out).toBe(whole.slice(0, whole.slice(0, -1).lastIndexOf('\n') + 1));
    const mixed = await call(['merge', 'whole.jsonl', 'slow.jsonl'], { cwd: folder });
    expect(mixed.code).toBe(1);
    expect(mixed.err).toMatch(/two different runs have the index 0/);
    const strange = await call(['merge', 'whole.jsonl', 'sweep.json', 'notes.txt'], { cwd: folder });
    expect(strange.err).toMatch(/notes\.txt is not a file of records: line 1 is not a record \(no JSON\): one/);
  });
});
