/** normscope on the command line: what it prints, what it refuses, how it ends. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRecords, type SanityReport } from 'normscope';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from './cli-process.js';

const TINY = { placement: 'peri-ln', nLayer: 1, dModel: 8, nHead: 2, nCtx: 8, nBatch: 2 };
let folder: string;
const here = (name: string): string => join(folder, name);
const put = (name: string, value: unknown): Promise<void> =>
  writeFile(here(name), typeof value === 'string' ? value : JSON.stringify(value));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'normscope-cli-'));
  await put('tiny.json', TINY);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('normscope run', () => {
  it('prints one record, the same every time', async () => {
    const args = ['run', 'tiny.json', '--steps', '20', '--json'];
    const [first, second] = await Promise.all([call(args, { cwd: folder }), call(args, { cwd: folder })]);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(second!.out).toBe(first!.out);
    const [record, ...others] = parseRecords(first!.out);
    expect(others).toEqual([]);
    expect(record).toMatchObject({ index: 0, steps: 20, step: 20, spec: { placement: 'peri-ln', d_model: 8 } });
  });

  it('speaks the language of the system or the one that is asked for', async () => {
    const args = ['run', 'tiny.json', '--steps', '3'];
    const answers = await Promise.all([
      call(args, { cwd: folder }),
      call(args, { cwd: folder, env: { LANG: 'ko_KR.UTF-8' } }),
      call([...args, '--lang', 'ko'], { cwd: folder }),
      call(['--lang=en', ...args], { cwd: folder, env: { LANG: 'ko_KR.UTF-8' } }),
    ]);
    const [english, korean, asked, back] = answers.map(({ out }) => out);
    expect(english).toMatch(/^tiny, 3 steps\n/);
    expect(korean).toMatch(/^tiny, 3스텝\n[^A-Za-z]+\./);
    expect(asked).toBe(korean);
    expect(back).toBe(english);
  });

  it('takes a file, standard input, a name; fields in either spelling and from --set', async () => {
    const snake = { placement: 'peri-ln', n_layer: 1, d_model: 8, n_head: 2, n_ctx: 8, n_batch: 2 };
    const sets = Object.entries(TINY).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    const tail = ['--steps', '4', '--json'];
    const answers = await Promise.all([
      call(['run', here('tiny.json'), ...tail]),
      call(['run', '-', ...tail], { input: JSON.stringify(snake) }),
      call(['run', 'peri-ln', ...tail, ...sets.slice(2)]),
      call(['run', '-', '--json'], { input: JSON.stringify({ spec: TINY, data: { kind: 'markov' }, steps: 4 }) }),
    ]);
    for (const { code, out } of answers) expect({ code, out }).toEqual({ code: 0, out: answers[0]!.out });
  });

  it('reads a text beside its spec, wherever it is called from', async () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(8);
    await put('fox.txt', text);
    await put('fox.json', { spec: TINY, data: { kind: 'text', file: 'fox.txt' }, steps: 2 });
    await put('fox-inside.json', { spec: TINY, data: { kind: 'text', text }, steps: 2 });
    const answers = await Promise.all([
      call(['run', here('fox.json'), '--json'], { cwd: tmpdir() }),
      call(['run', 'fox-inside.json', '--json'], { cwd: folder }),
      call(['run', 'tiny.json', '--text', 'fox.txt', '--steps', '2', '--json'], { cwd: folder }),
    ]);
    expect(parseRecords(answers[0]!.out)[0]).toMatchObject({ data: { kind: 'text', length: text.length } });
    for (const { out } of answers) expect(out).toBe(answers[0]!.out);
  });

  it('calls a divergence a result and a spec that makes no sense a failure', async () => {
    const wild = await call(['run', 'tiny.json', '--set', 'placement=none', '--set', 'learningRate=1000', '--steps', '60', '--json'], { cwd: folder }); // prettier-ignore
    expect(wild.code).toBe(0);
    expect(['non-finite', 'spike', 'stalled']).toContain(parseRecords(wild.out)[0]!.verdict);
    const wrong = await call(['run', 'tiny.json', '--set', 'nHead=3'], { cwd: folder });
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain('nHead 3 does not divide dModel 8');
  });
});

it('prints what a run came to also where its snapshot cannot be saved', async () => {
  const { code, out, err } = await call(['run', here('tiny.json'), '--steps', '3', '--json', '--save', here('nowhere/a.json')]); // prettier-ignore
  expect(code).toBe(1);
  expect(parseRecords(out)).toHaveLength(1);
  expect(err).toMatch(/ENOENT.*nowhere/);
});

describe('normscope analyse and check', () => {
  it('measures fresh, trained and saved parameters', async () => {
    const analyse = (...more: string[]) => call(['analyse', 'tiny.json', '--parts', 'moments', '--json', ...more], { cwd: folder }); // prettier-ignore
    const lossOf = ({ out }: { out: string }): number => (JSON.parse(out) as { loss: number }).loss;
    expect(await call(['run', 'tiny.json', '--steps', '30', '--save', 'trained.json'], { cwd: folder })).toMatchObject({ code: 0 }); // prettier-ignore
    const [fresh, trained, saved] = await Promise.all([analyse(), analyse('--steps', '30'), analyse('--from', 'trained.json')]); // prettier-ignore
    expect(lossOf(trained!)).toBeLessThan(lossOf(fresh!));
    expect(saved!.out).toBe(trained!.out);
  });

  it('writes what was not measured as null and everything else as numbers', async () => {
    const { out } = await call(['analyse', 'tiny.json', '--set', 'placement=pre-ln', '--parts', 'moments', '--json'], { cwd: folder }); // prettier-ignore
    const { moments } = JSON.parse(out) as { moments: { boundStd: unknown[]; meanAbs: unknown[] } };
    expect(moments.boundStd.slice(1)).toEqual([null, null]);
    expect(moments.meanAbs.every((value) => typeof value === 'number')).toBe(true);
  });

  it('prints tables with a row for each residual point, in both languages', async () => {
    for (const [language, title] of [
      ['en', 'moments'],
      ['ko', '모멘트'],
    ] as const) {
      // prettier-ignore
      const { out } = await call(['analyse', 'tiny.json', '--parts', 'moments', '--lang', language], { cwd: folder });
      const lines = out.split('\n');
      expect(lines[2]).toBe(title);
      expect(lines.filter((line) => /^(resid_embedding|blocks\.0\.resid_(mid|post)) +[\d.]+/.test(line))).toHaveLength(
        3,
      );
    }
  });

  const check = async (spec: object | string): Promise<SanityReport> => {
    const [source, input] = typeof spec === 'string' ? [spec, ''] : ['-', JSON.stringify(spec)];
    const { code, out } = await call(['check', '--json', '--quick', source], { input });
    expect(code).toBe(0);
    return JSON.parse(out) as SanityReport;
  };

  it('tells Pre-LN from Peri-LN, and a wiring from its name', { timeout: 90_000 }, async () => {
    const broken = { name: 'peri-ln', spec: { placement: 'peri-ln', normOutput: false } };
    const [pre, peri, pretender] = [await check('pre-ln'), await check('peri-ln'), await check(broken)];
    const verdicts = ({ hamiltonian, sensitivity }: SanityReport) => [hamiltonian.bounded, sensitivity.scaleInvariant];
    expect(verdicts(pre)).toEqual([false, false]);
    expect(verdicts(peri)).toEqual([true, true]);
    expect(pretender.name).toBe('peri-ln');
    expect(verdicts(pretender)).toEqual([false, false]);
  });

  it('says the verdicts in words', { timeout: 60_000 }, async () => {
    const english = await call(['check', 'pre-ln', '--quick']);
    expect(english).toMatchObject({ code: 0, err: '' });
    expect(english.out).toMatch(/^pre-ln\n\nHamiltonian: unbounded\n/);
    const korean = await call(['check', 'peri-ln', '--quick', '--lang', 'ko']);
    expect(korean.out).toMatch(/^peri-ln\n\n해밀토니안: 유계\n/);
  });
});

describe('a wrong call', () => {
  const usage: [string[], RegExp][] = [
    [['rnu', 'pre-ln'], /there is no command 'rnu'; did you mean 'run'\?/],
    [['run', 'pre-ln', '--jsno'], /unknown option --jsno; did you mean --json\?/],
    [['run', 'pre-ln', '--shard', '1/2'], /unknown option --shard/],
    [['run'], /run needs a spec: a file of JSON, - for standard input, or the name of a placement, e\.g\. run peri-ln/],
    [['run', 'pre-ln', 'peri-ln'], /'peri-ln' is one argument too many/],
    [['run', 'pre-ln', '--steps'], /--steps needs a value/],
    [['run', 'pre-ln', '--json=yes'], /--json takes no value/],
    [['run', 'pre-ln', '--steps', '2.5'], /--steps needs a whole number from 1, not '2\.5'/],
    [['run', 'pre-ln', '--lang', 'fr'], /--lang is ko or en, not 'fr'/],
    [['sweep', 'pre-ln', '--shard', '3/2'], /--shard needs I\/N with I from 1 to N, e\.g\. 1\/4, not '3\/2'/],
    [['sweep', '--recipe', 'Z'], /there is no recipe 'Z'; there are A, B/],
    [['sweep', 'pre-ln', '--recipe', 'A'], /takes a file or --recipe, not both/],
    [['analyse', 'pre-ln', '--parts', 'momnts'], /analyse has no part 'momnts'; did you mean 'moments'\?/],
    [['merge'], /merge needs the files of a sweep/],
  ];
  it('is refused in one sentence with exit code 2, and nothing is printed', async () => {
    for (const [args, sentence] of usage) {
      const { code, out, err } = await call(args);
      expect({ code, out }, args.join(' ')).toEqual({ code: 2, out: '' });
      expect(err).toMatch(sentence);
      expect(err.split('\n')).toHaveLength(2);
    }
  });

  it('is refused in Korean where the reader is Korean', async () => {
    const { code, err } = await call(['rnu'], { env: { LC_ALL: 'ko_KR.UTF-8' } });
    expect(code).toBe(2);
    expect(err).toBe("normscope: 'rnu'이라는 명령은 없습니다. 혹시 'run'인가요?\n");
  });

  it('names what is wrong with a file, with exit code 1', async () => {
    await put('broken.json', '{"nLayer": 2,}');
    await put('list.json', [1]);
    await put('key.json', { base: {}, gird: {} });
    await put('twice.json', { nLayer: 2, n_layer: 3 });
    await put('both.json', { base: {}, spec: {} });
    await put('lost.json', { spec: {}, data: { kind: 'text', file: 'nowhere.txt' } });
    await put('field.json', { nLayers: 2 });
    await put('inherited.json', { base: { constructor: 2 } });
    const files: [string, RegExp][] = [
      ['pre-nl', /there is no file 'pre-nl'; did you mean the placement 'pre-ln'\?/],
      ['broken.json', /broken\.json is not JSON: /],
      ['list.json', /must hold one object/],
      ['key.json', /'gird' is unknown; did you mean 'grid'\?/],
      ['twice.json', /has nLayer twice, in two spellings/],
      ['both.json', /has both spec and base/],
      ['lost.json', /there is no text file '.*nowhere\.txt'/],
      ['inherited.json', /does not know 'constructor'/],
      ['field.json', /does not know 'nLayers'; did you mean 'nLayer'\?/],
    ];
    for (const [file, sentence] of files) {
      const { code, out, err } = await call(['run', file, '--steps', '1'], { cwd: folder });
      expect({ code, out }, file).toEqual({ code: 1, out: '' });
      expect(err).toMatch(sentence);
      expect(err).not.toMatch(/^ +at /m);
    }
  });

  it('is helped by --help, which knows every option of every command', async () => {
    const { code, out } = await call(['--help']);
    expect(code).toBe(0);
    for (const word of ['run <spec>', 'export-pytorch', '--shard I/N', '--lang', 'Exit codes'])
      expect(out).toContain(word);
    expect((await call(['sweep', '--help', '--lang', 'ko'])).out).toContain('--recipe A…J');
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }; // prettier-ignore
    expect((await call(['--version'])).out).toBe(`${version}\n`);
  });
});
