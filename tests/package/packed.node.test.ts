/** The tarball, installed where nothing else of the project is. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'normscope-packed-'));
  const { stdout } = await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'elsewhere', private: true, type: 'module' }));
  await run(
    'npm',
    ['install', '--offline', '--silent', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, stdout.trim())],
    { cwd: folder },
  );
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a module in a fresh Node; what it prints as JSON comes back. */
async function runThere(source: string, ...flags: string[]): Promise<Record<string, unknown>> {
  const file = join(folder, 'program.mjs');
  await writeFile(file, source);
  const { stdout } = await run(process.execPath, [...flags, file], { cwd: folder });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The texts of a module and of all that it imports, by name; not what it loads later. */
async function loadedWith(name: string, texts = new Map<string, string>()): Promise<Map<string, string>> {
  if (texts.has(name)) return texts;
  texts.set(name, await readFile(join(folder, 'node_modules/normscope/dist', name), 'utf8'));
  for (const [, next] of texts.get(name)!.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) await loadedWith(next!, texts);
  return texts;
}

const EXAMPLE = `
  const { y } = await layerNorm({ x: [3.2, -1.8, 0.5, 2.1], dModel: 4 });
  console.log(JSON.stringify({ y: Array.from(y) }));
`;

function expectExample(y: unknown): void {
  const x = [3.2, -1.8, 0.5, 2.1];
  const mean = x.reduce((sum, value) => sum + value, 0) / 4;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 4;
  x.forEach((value, i) =>
    expect(Math.abs((y as number[])[i]! - (value - mean) / Math.sqrt(variance + 1e-5))).toBeLessThanOrEqual(1e-6),
  );
}

describe('the packed package, installed elsewhere', () => {
  it("computes the course's example", async () => {
    expectExample((await runThere(`import { layerNorm } from 'normscope'; ${EXAMPLE}`)).y);
  });

  it('runs where code from strings is forbidden', async () => {
    expectExample(
      (await runThere(`import { layerNorm } from 'normscope'; ${EXAMPLE}`, '--disallow-code-generation-from-strings'))
        .y,
    );
    const scripts = (await readdir(join(folder, 'node_modules/normscope/dist'))).filter((name) => name.endsWith('.js'));
    for (const name of scripts) {
      const text = await readFile(join(folder, 'node_modules/normscope/dist', name), 'utf8');
      expect(text.match(/\bnew Function\b|\beval\(/), name).toBeNull();
    }
  });

  it('needs no shared memory', async () => {
    expectExample(
      (
        await runThere(
          `delete globalThis.SharedArrayBuffer; const { layerNorm } = await import('normscope'); ${EXAMPLE}`,
        )
      ).y,
    );
  });

  it('touches nothing of a DOM when it is imported', async () => {
    const source = `
      const touched = [];
      for (const name of ['window', 'document', 'self', 'HTMLElement'])
        Object.defineProperty(globalThis, name, { configurable: true, get() { touched.push(name); return undefined; } });
      await import('normscope');
      await import('normscope/testing');
      console.log(JSON.stringify({ touched }));
    `;
    expect(await runThere(source)).toEqual({ touched: [] });
  });

  it('offers its elements to an import without a DOM', async () => {
    expect(
      await runThere(`await import('normscope/elements'); console.log(JSON.stringify({ document: typeof document }));`),
    ).toEqual({ document: 'undefined' });
  });

  it.each(['index.js', 'elements.js'])('loads no shaders with %s before a GPU is used', async (entry) => {
    const texts = await loadedWith(entry);
    expect([...texts.keys()].length).toBeGreaterThan(1);
    for (const [name, text] of texts) expect(text.includes('@workgroup_size'), name).toBe(false);
  });

  it('trains in a worker and lets the process end', async () => {
    const source = `
      import { train } from 'normscope';
      const run = train({ spec: { nLayer: 1, dModel: 8, nHead: 2, nCtx: 8, nBatch: 2 }, data: { kind: 'markov' }, steps: 5 });
      let steps = 0;
      for await (const { step } of run) steps = step;
      const [info] = await run.started;
      const [{ code }] = await run.finished;
      console.log(JSON.stringify({ steps, thread: info.thread, code }));
    `;
    expect(await runThere(source)).toEqual({ steps: 5, thread: 'worker', code: 'finished' });
  });

  it('analyses in a worker with the module that comes along', async () => {
    const source = `
      import { analyse } from 'normscope';
      const spec = { placement: 'peri-ln', nLayer: 1, dModel: 8, nHead: 2, nCtx: 4, nBatch: 1 };
      const { moments, sensitivity } = await analyse({ spec, thread: 'worker', parts: ['moments', 'sensitivity'] });
      console.log(JSON.stringify({ holds: moments.holds, method: sensitivity.method }));
    `;
    expect(await runThere(source)).toEqual({ holds: true, method: 'dense' });
  });

  it('brings the command line', async () => {
    const call = (...args: string[]) => run(join(folder, 'node_modules/.bin/normscope'), args, { cwd: folder });
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    expect((await call('--version')).stdout).toBe(`${version}\n`);
    const tiny = ['nLayer=1', 'dModel=8', 'nHead=2', 'nCtx=8', 'nBatch=2'].flatMap((set) => ['--set', set]);
    const { stdout } = await call('run', 'peri-ln', ...tiny, '--steps', '3', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ steps: 3, step: 3, spec: { placement: 'peri-ln' } });
  });

  it('has the testing entry, which shares the one engine', async () => {
    const source = `
      import { layerNorm } from 'normscope';
      import { runOp } from 'normscope/testing';
      let compiled = 0;
      const { compile } = WebAssembly;
      WebAssembly.compile = (bytes) => { compiled += 1; return compile(bytes); };
      await layerNorm({ x: [1, 2], dModel: 2 });
      const { p } = await runOp({ op: 'softmax', params: { n: 2 }, inputs: { z: [0, 0] } });
      console.log(JSON.stringify({ p: Array.from(p), compiled }));
    `;
    expect(await runThere(source)).toEqual({ p: [0.5, 0.5], compiled: 1 });
  });
});
