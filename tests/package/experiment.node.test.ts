import { experiment, mergeRecords, parseRecords, recordLine, type ExperimentRequest } from 'normscope';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { describeExperiments } from './experiment-promises.js';

describeExperiments('worker');
describeExperiments('inline');

const folder = mkdtempSync(join(tmpdir(), 'normscope-sweep-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const dist = new URL('../../dist/index.js', import.meta.url).href;

const sweep: ExperimentRequest = {
  base: { nLayer: 1, dModel: 16, nHead: 2, nCtx: 16, nBatch: 2 },
  grid: { placement: ['pre-ln', 'peri-ln', 'post-ln'], seed: [1, 2, 3, 4, 5] },
  ...{ steps: 150, concurrency: 2 },
};

/** A program that goes on with a file of records, one line at a time, as a command line would. */
const PROGRAM = `
  import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
  import { experiment, parseRecords, recordLine } from ${JSON.stringify(dist)};
  const [file, request] = process.argv.slice(2);
  const done = existsSync(file) ? parseRecords(readFileSync(file, 'utf8')) : [];
  writeFileSync(file, done.map(recordLine).join(''));
  const records = await experiment({
    ...JSON.parse(request), done,
    onRecord: (record) => { appendFileSync(file, recordLine(record)); console.log(record.index); },
  }).records;
  writeFileSync(file, records.map(recordLine).join(''));
`;

/** Runs it; `kill` is called after each line of output. Resolves with the cells that it ran. */
function runProgram(file: string, kill: (indices: number[]) => boolean = () => false): Promise<number[]> {
  const program = join(folder, 'sweep.mjs');
  writeFileSync(program, PROGRAM);
  const child = spawn(process.execPath, [program, file, JSON.stringify(sweep)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const indices: number[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    indices.push(...chunk.toString().trim().split('\n').map(Number));
    if (kill(indices)) child.kill('SIGKILL');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve(indices));
  });
}

describe('a sweep that is killed', () => {
  it('and started again loses nothing and ends with the same bytes', async () => {
    expect(existsSync(fileURLToPath(dist)), 'npm run build makes dist/').toBe(true);
    const whole = join(folder, 'whole.jsonl');
    await runProgram(whole);
    const file = join(folder, 'killed.jsonl');
    const before = await runProgram(file, (indices) => indices.length >= 4);
    expect(before.length).toBeLessThan(15);
    const kept = parseRecords(readFileSync(file, 'utf8')).map(({ index }) => index);
    expect(kept).toEqual(expect.arrayContaining(before));
    // As if it had been killed in the middle of a line, too.
    writeFileSync(file, readFileSync(file, 'utf8') + '{"index":14,"cell":{"pla');
    const after = await runProgram(file);
    expect([...kept, ...after].sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, i) => i));
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(whole, 'utf8'));
  });

  it('gives the same bytes from the package as from its sources', async () => {
    const file = join(folder, 'package.jsonl');
    await runProgram(file);
    const records = await experiment(sweep).records;
    expect(mergeRecords([readFileSync(file, 'utf8')])).toBe(records.map(recordLine).join(''));
  });
});
