/** normscope export-pytorch: one script for each spec. What it computes was compared with PyTorch; see wasm/cli/README.md. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ModelSpec, PLACEMENTS, planModel } from 'normscope';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pytorchScript, type ScriptData } from '../../wasm/cli/pytorch/script.js';
import { call } from './cli-process.js';

const BASE: ModelSpec = { nLayer: 4, dModel: 16, nHead: 2, nCtx: 8, nBatch: 2 };
const MARKOV: ScriptData = { kind: 'markov', nSymbol: 32, seed: 7 };

async function scriptOf(fields: ModelSpec, data = MARKOV): Promise<string> {
  const { spec } = await planModel({ spec: { ...BASE, ...fields }, data: { kind: 'markov' } });
  return pytorchScript({ spec, data, steps: 300, version: '0', name: 'model.py' });
}

/** Each field with a value that means something else than its default, on a wiring in which it matters. */
const FIELDS: [keyof ModelSpec, ModelSpec][] = [
  ['normInput', { normInput: false }],
  ['normOutput', { normOutput: true }],
  ['normStream', { normStream: true }],
  ['normEmbedding', { normEmbedding: true }],
  ['normFinal', { normFinal: false }],
  ['residual', { residual: false }],
  ['alpha', { alpha: 0.5 }],
  ['alphaRule', { alphaRule: 'n-layer' }],
  ['alphaRule', { alphaRule: 'deepnorm' }],
  ['dt', { dt: 0.1 }],
  ['depthScale', { depthScale: 'inverse-sqrt' }],
  ['branchScale', { branchScale: 'scalar' }],
  ['branchScale', { branchScale: 'vector' }],
  ['branchScaleInit', { branchScale: 'vector', branchScaleInit: 0.1 }],
  ['mlpNorms', { mlpNorms: 'output' }],
  ['mlpNorms', { mlpNorms: 'none' }],
  ['mlpSkip', { mlpSkip: 'normed' }],
  ['earlyNorms', { earlyFraction: 0.5, earlyNorms: 'stream' }],
  ['earlyNorms', { earlyFraction: 0.5, earlyNorms: 'none' }],
  ['earlyFraction', { earlyFraction: 0.25, earlyNorms: 'stream' }],
  ['qkNorm', { qkNorm: 'qk' }],
  ['qkNorm', { qkNorm: 'qkv' }],
  ['initGain', { initGain: 'deepnorm' }],
  ['initGain', { initGain: 'residual' }],
  ['normKind', { normKind: 'rmsnorm' }],
  ['normKind', { normKind: 'batchnorm' }],
  ['normKind', { normKind: 'dyt' }],
  ['normKind', { normKind: 'none' }],
  ['normAffine', { normAffine: false }],
  ['normAffine', { normKind: 'dyt', normAffine: false }],
  ['dytAlpha', { normKind: 'dyt', dytAlpha: 0.7 }],
  ['eps', { eps: 0.001 }],
  ['bnMomentum', { normKind: 'batchnorm', bnMomentum: 0.2 }],
  ['block', { block: 'sublayer' }],
  ['nLayer', { nLayer: 3 }],
  ['dModel', { dModel: 24 }],
  ['nHead', { nHead: 4 }],
  ['dFF', { dFF: 20 }],
  ['activation', { activation: 'relu' }],
  ['activation', { activation: 'gelu_erf' }],
  ['dropout', { dropout: 0.1 }],
  ['causal', { causal: false }],
  ['nVocab', { nVocab: 40 }],
  ['nBatch', { nBatch: 3 }],
  ['nCtx', { nCtx: 12 }],
  ['init', { init: 'xavier' }],
  ['init', { init: 'gpt2' }],
  ['format', { format: 'fp16' }],
  ['format', { format: 'bf16' }],
  ['zLoss', { zLoss: 1e-4 }],
  ['optimizer', { optimizer: 'sgd' }],
  ['momentum', { optimizer: 'sgd', momentum: 0.5 }],
  ['learningRate', { learningRate: 0.1 }],
  ['schedule', { schedule: 'cosine' }],
  ['totalSteps', { schedule: 'cosine', totalSteps: 50 }],
  ['finalLearningRate', { schedule: 'cosine', finalLearningRate: 1e-4 }],
  ['warmup', { warmup: 10 }],
  ['weightDecay', { weightDecay: 0.1 }],
  ['decay1d', { decay1d: true }],
  ['decayGamma', { decayGamma: true }],
  ['beta1', { beta1: 0.8 }],
  ['beta2', { beta2: 0.99 }],
  ['adamEps', { adamEps: 1e-6 }],
  ['maxGradNorm', { maxGradNorm: 1 }],
  ['seed', { seed: 2 }],
];

const OTHERS: [ScriptData, string][] = [
  [{ kind: 'text', jamo: true, text: '안녕 "세상"\n' }, 'TEXT = "안녕 \\"세상\\"\\n"'],
  [{ kind: 'text', jamo: false, file: 'a b.txt' }, 'default="a b.txt"'],
];

let scripts: [string, string][];
beforeAll(async () => {
  const rows = await Promise.all(PLACEMENTS.map(async ({ name }) => [name, await scriptOf({ placement: name })] as [string, string])); // prettier-ignore
  const fields = await Promise.all(FIELDS.map(async ([name, spec]) => [`${name} ${JSON.stringify(spec)}`, await scriptOf(spec)] as [string, string])); // prettier-ignore
  const others = await Promise.all(
    OTHERS.map(async ([data]) => [data.kind, await scriptOf({}, data)] as [string, string]),
  );
  scripts = [...rows, ...fields, ...others];
});

/** A text without its comments, strings and doc strings. */
const codeOf = (script: string): string => script.replace(/"""[^]*?"""|"(?:[^"\\\n]|\\.)*"|#.*$/gm, (found) => (found.startsWith('#') ? '' : '""')); // prettier-ignore

describe('the PyTorch script of a spec', () => {
  it('is Python: brackets close, blocks are indented by four, nothing of JavaScript is left', () => {
    const closing: Record<string, string> = { ')': '(', ']': '[', '}': '{' };
    for (const [name, script] of scripts) {
      const code = codeOf(script);
      const open: string[] = [];
      for (const bracket of code.match(/[()[\]{}]/g) ?? [])
        if (bracket in closing) expect(open.pop(), `${name} ${bracket}`).toBe(closing[bracket]);
        else open.push(bracket);
      expect(open, name).toEqual([]);
      expect(code, name).not.toMatch(/undefined|\bnull\b|\btrue\b|\bfalse\b|\[object|NaN|\$\{|&&|===|;$/m);
      expectBlocks(name, code);
    }
  });

  /** After a colon a block of four more begins; nothing else is indented further, but what stands in brackets. */
  function expectBlocks(name: string, code: string): void {
    let [indent, depth, opens] = [0, 0, false];
    for (const line of code.split('\n').filter((each) => each.trim())) {
      const here = line.length - line.trimStart().length;
      if (depth === 0) {
        if (opens) expect(here, `${name}: ${line}`).toBe(indent + 4);
        else expect([here % 4, here <= indent], `${name}: ${line}`).toEqual([0, true]);
        indent = here;
      }
      depth += (line.match(/[([{]/g) ?? []).length - (line.match(/[)\]}]/g) ?? []).length;
      opens = depth === 0 && line.trimEnd().endsWith(':');
    }
  }

  it('is read by the Python of this machine, where there is one', () => {
    const program =
      'import ast, json, sys\nfor name, text in json.load(sys.stdin): ast.parse(text, name)\nprint("read")';
    const { error, status, stdout, stderr } = spawnSync('python3', ['-c', program], { input: JSON.stringify(scripts), encoding: 'utf8' }); // prettier-ignore
    if (error) expect((error as NodeJS.ErrnoException).code).toBe('ENOENT');
    else expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'read\n', stderr: '' });
  });

  /** Pairs of scripts that say the same, but for the name in their title. */
  function twins(list: readonly [string, string][]): string[] {
    const seen = new Map<string, string>();
    return list.flatMap(([name, script]) => {
      const text = script.replace(/^"""A transformer with the norm placement.*$/m, '');
      const twin = seen.get(text);
      seen.set(text, name);
      return twin ? [`${twin} = ${name}`] : [];
    });
  }

  it('differs for every field of a spec, and for every wiring', () => {
    const [rows, fields] = [scripts.slice(0, PLACEMENTS.length), scripts.slice(PLACEMENTS.length)];
    expect(twins(rows)).toEqual(['peri-ln = sandwich-ln']); // two names of one wiring
    expect(twins([...rows.filter(([name]) => name === 'pre-ln'), ...fields])).toEqual([]);
  });

  it('is tried for every field that there is', () => {
    const fields = new Set<string>(FIELDS.map(([name]) => name));
    expect(Object.keys(FIELD_NAMES).filter((name) => !fields.has(name))).toEqual([]);
  });

  it('has the parameters of the model under the same names', async () => {
    const specs: ModelSpec[] = [
      ...PLACEMENTS.map(({ name }) => ({ placement: name })),
      ...FIELDS.map(([, spec]) => spec),
      { placement: 'hybridnorm', branchScale: 'scalar' },
    ];
    for (const fields of specs) {
      const spec = { ...BASE, ...fields };
      const { tensors } = await planModel({ spec, data: { kind: 'markov' } });
      const owners = tensors.filter(({ role }) => role === 'parameter').map(({ name }) => name.replace(/\.(weight|bias|alpha)$/, '').split('.').at(-1)!); // prettier-ignore
      const made = [...(await scriptOf(fields)).matchAll(/self\.(\w+)(?:, self\.(\w+))? = (?:nn\.(?:Linear|Embedding|Parameter)|norm\(|head_norm\()/g)].flatMap(([, a, b]) => [a!, ...(b ? [b] : [])]); // prettier-ignore
      const named = made.filter((name) => !['weight', 'bias', 'alpha'].includes(name));
      const bare = spec.normAffine === false && spec.normKind !== 'dyt'; // such norms have no parameters
      const norms = /^(ln_|[qkv]_norm)/;
      const expected = new Set(owners.filter((name) => !(bare && norms.test(name))));
      expect(new Set(named.filter((name) => !(bare && norms.test(name)))), JSON.stringify(fields)).toEqual(expected);
    }
  });

  it('writes a residual step as its equation', async () => {
    const lines = async (placement: string): Promise<string[]> =>
      (await scriptOf({ placement } as ModelSpec)).split('\n').map((line) => line.trim());
    expect(await lines('pre-ln')).toContain('x = x + self.attn(n)');
    expect(await lines('post-ln')).toContain('x = self.ln_mlp_stream(x + self.mlp(x))');
    expect(await lines('peri-ln')).toContain('x = x + self.ln_attn_out(self.attn(n))');
    expect(await lines('deepnorm')).toContain('x = self.ln_attn_stream(ALPHA * x + self.attn(x))');
    expect(await lines('layerscale')).toContain('x = x + self.scale_mlp * self.mlp(n)');
    expect(await lines('hybridnorm')).toContain('x = n + self.mlp(n)');
    expect(await lines('ln-scaling')).toContain('x = x + self.attn((self.layer + 1) ** -0.5 * n)');
    expect(await lines('plain')).toContain('x = self.attn(x)');
  });

  it('carries a text, or the name of its file', () => {
    OTHERS.forEach(([, line], i) => expect(scripts.at(i - OTHERS.length)![1]).toContain(line));
  });
});

/** The compiler refuses a missing field. */
const FIELD_NAMES: Record<Exclude<keyof ModelSpec, 'placement'>, true> = {
  ...{ normInput: true, normOutput: true, normStream: true, normEmbedding: true, normFinal: true, residual: true },
  ...{ alpha: true, alphaRule: true, dt: true, depthScale: true, branchScale: true, branchScaleInit: true },
  ...{ mlpNorms: true, mlpSkip: true, earlyFraction: true, earlyNorms: true, qkNorm: true, initGain: true },
  ...{ normKind: true, normAffine: true, dytAlpha: true, eps: true, bnMomentum: true, block: true, nLayer: true },
  ...{ dModel: true, nHead: true, dFF: true, activation: true, dropout: true, causal: true, nVocab: true },
  ...{ nBatch: true, nCtx: true, init: true, format: true, zLoss: true, optimizer: true, learningRate: true },
  ...{ schedule: true, warmup: true, totalSteps: true, finalLearningRate: true, weightDecay: true, decay1d: true },
  ...{ decayGamma: true, momentum: true, beta1: true, beta2: true, adamEps: true, maxGradNorm: true, seed: true },
};

describe('normscope export-pytorch', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'normscope-pytorch-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('writes a name into the script only as a name', async () => {
    const input = JSON.stringify({ name: 'a\"\"\"\nimport os\\N', spec: BASE });
    const { out } = await call(['export-pytorch', '-'], { input });
    expect(out).toContain('python3 a____import_os_N.py ');
  });

  it('prints the script or writes it to a file', async () => {
    const args = ['export-pytorch', 'keel', '--set', 'nLayer=2', '--steps', '40'];
    const printed = await call(args);
    expect(printed).toMatchObject({ code: 0, err: '' });
    expect(printed.out).toContain('PARSER.add_argument("--steps", type=int, default=40)');
    expect(await call([...args, '--out', 'keel.py'], { cwd: folder })).toEqual({ code: 0, out: '', err: '' });
    expect(await readFile(join(folder, 'keel.py'), 'utf8')).toBe(printed.out);
  });

  it('takes a model far larger than this machine could train', async () => {
    const sets = ['nLayer=48', 'dModel=1600', 'nHead=25', 'nVocab=50257', 'nCtx=1024', 'nBatch=64'].flatMap((set) => ['--set', set]); // prettier-ignore
    const { code, out } = await call(['export-pytorch', 'peri-ln', ...sets]);
    expect(code).toBe(0);
    for (const line of [
      'N_LAYER, D_MODEL, N_HEAD = 48, 1600, 25',
      'D_FF = 4 * D_MODEL',
      'N_BATCH, N_CTX = 64, 1024',
      'N_VOCAB = 50257',
    ])
      expect(out).toContain(`${line}\n`);
  });

  it('leaves a text in its file', async () => {
    await writeFile(join(folder, 'novel.txt'), 'Call me Ishmael. '.repeat(40));
    await writeFile(
      join(folder, 'novel.json'),
      JSON.stringify({ spec: BASE, data: { kind: 'text', file: 'novel.txt' } }),
    );
    const { out } = await call(['export-pytorch', 'novel.json'], { cwd: folder });
    expect(out).toContain('PARSER.add_argument("--text", metavar="FILE", default="novel.txt")');
    expect(out).not.toContain('Ishmael');
  });
});
