/** What a request for an op says is what it gets: every parameter and input counts, or is refused by name. */
import { layerNorm, layerNormBackward, rmsNorm, rmsNormBackward } from 'normscope';
import { runOp } from 'normscope/testing';
import { describe, expect, it } from 'vitest';
import { near } from './numbers.js';

type Outputs = Record<string, Float32Array>;
const run = async (op: string, params: object, inputs: object): Promise<Outputs> =>
  (await runOp({ op, params, inputs } as never)) as Outputs;

const refused = async (op: string, params: object, inputs: object, text: RegExp): Promise<void> => {
  const error = await run(op, params, inputs).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'NormscopeError', message: expect.stringMatching(text) });
};

const x = [1, 2, 4, 9];
const gamma = [2, 0.5, -1, 1];
const dy = [1, -2, 0.5, 3];

describe('two_steps', () => {
  it('adds the gradients of the calls up where that is asked for', async () => {
    const params = { op: 'layernorm_backward', d: 4, calls: 2 };
    const once = await run('two_steps', { ...params, zero_grad_between: true }, { x, dy });
    const twice = await run('two_steps', { ...params, zero_grad_between: false }, { x, dy });
    for (const name of ['dgamma_after_second_call', 'dbeta_after_second_call'])
      expect(twice[name]).toEqual(once[name]!.map((value) => 2 * value));
  });

  it('runs the op that it names, with gamma', async () => {
    const result = await run('two_steps', { op: 'rmsnorm_backward', d: 4 }, { x, dy, gamma });
    const { dgamma } = await rmsNormBackward({ x, dy, gamma, dModel: 4 });
    expect(result).toEqual({ dgamma_after_second_call: dgamma });
    await refused('two_steps', { op: 'softmax_backward', d: 4 }, { x, dy }, /op is the text 'softmax_backward'/);
  });
});

describe('residual blocks', () => {
  const blockOf = (rows: number, inputs: object = {}) =>
    [
      { d: 4, rows },
      { x: [...x, ...x], ...inputs },
    ] as const;

  it('take their norm, its parameters and the factor of the sublayer from the request', async () => {
    const [params, inputs] = blockOf(2, { gamma, beta: dy });
    const wide = inputs.x;
    for (const [text, factor] of [
      ['f(v) = 2 v', 2],
      ['f(v) = -0.5 v', -0.5],
      ['f(v) = 3v', 3],
      ['f(v) = v', 1],
      ['f(v) = -v', -1],
    ] as const) {
      const { y } = await run('prenorm_block', { ...params, norm: 'layernorm', sublayer: text }, inputs);
      const normed = (await layerNorm({ x: wide, gamma, beta: dy, dModel: 4 })).y;
      near(
        y!,
        wide.map((value, i) => value + factor * normed[i]!),
        1e-5,
      );
      const post = await run('postnorm_block', { ...params, norm: 'rmsnorm', sublayer: text }, { x: wide, gamma });
      near(post.y!, Array.from((await rmsNorm({ x: wide.map((v) => (1 + factor) * v), gamma, dModel: 4 })).y), 1e-5);
    }
  });

  it('refuse what they do not know', async () => {
    const [params, inputs] = blockOf(2);
    await refused('prenorm_block', { ...params, norm: 'groupnorm' }, inputs, /norm is the text 'groupnorm'/);
    await refused(
      'prenorm_block',
      { ...params, sublayer: 'f(v) = v^2' },
      inputs,
      /sublayer is the text 'f\(v\) = v\^2'/,
    );
    await refused('prenorm_block', { d: 4, rows: 3 }, inputs, /rows 3/);
    await refused('postnorm_block', { ...params, norm: 'rmsnorm' }, { ...inputs, beta: dy }, /does not know 'beta'/);
  });

  it('give the gradient of the graph that is named', async () => {
    for (const [graph, backward] of [
      ['y = x + LayerNorm(x)', layerNormBackward],
      ['y = x + RMSNorm(x)', rmsNormBackward],
    ] as const) {
      const { dx } = await run('residual_backward', { d: 4, graph }, { x, dy, gamma });
      const through = (await backward({ x, dy, gamma, dModel: 4 })).dx;
      near(
        dx!,
        dy.map((value, i) => value + through[i]!),
        1e-5,
      );
    }
    await refused('residual_backward', { d: 4, graph: 'y = LayerNorm(x + x)' }, { x, dy }, /graph is the text/);
  });
});

describe('optimizer ops', () => {
  it('decay one-dimensional parameters only where that is asked for', async () => {
    const params = { lr: 0.125, weight_decay: 0.1, steps: 10 };
    const ones = { matrix_weight: 1, norm_gamma: 1, norm_beta: 1, linear_bias: 1 };
    const all = (await runOp({ op: 'adamw_groups', params: { ...params, decay1d: true }, inputs: ones })) as object;
    for (const value of Object.values(all)) expect(value).toBeCloseTo(0.9875 ** 10, 6);
  });

  it('step a vector as they step its numbers', async () => {
    const params = { lr: 0.1, weight_decay: 0.2 };
    const grads = [
      [1, -2, 0.5],
      [0.25, 3, 0],
    ];
    const vector = await run('adamw', params, { p: [1, 2, 3], grads, m: 0, v: [0, 0, 0] });
    for (let i = 0; i < 3; ++i) {
      const one = await run('adamw', params, { p: i + 1, grads: grads.map((row) => row[i]) });
      expect([vector.p_after_each_step![i], vector.p_after_each_step![3 + i]]).toEqual(
        Array.from(one.p_after_each_step!),
      );
      expect([vector.m![i], vector.v![i]]).toEqual([one.m, one.v]);
    }
    await refused('adamw', params, { p: [1, 2], grads: [1, 2, 3] }, /3 numbers are no whole rows of 2/);
  });
});

describe('softmax and attention', () => {
  it('softmax works out n from rows', async () => {
    const { p } = await run('softmax', { rows: 2 }, { z: [0, 0, 1000, 0] });
    expect(Array.from(p!)).toEqual([0.5, 0.5, 1, 0]);
    await refused('softmax', { rows: 2, n: 3 }, { z: [0, 0, 1, 0] }, /rows 2 × n 3 are 6 numbers, but there are 4/);
  });

  const tokens = { q: [1, 2], k: [3, 4], v: [1, 5] };
  const shape = { T: 2, S: 2, heads: 1, head_dim: 1 };

  it('attention with scale 0 weighs every visible key alike', async () => {
    const result = await run('attention_forward', { ...shape, scale: 0 }, { ...tokens, do: [1, 1] });
    expect(Array.from(result.o!)).toEqual([3, 3]);
    expect([...result.dq!, ...result.dk!].map(Math.abs)).toEqual([0, 0, 0, 0]);
    await refused('attention_forward', { ...shape, scale: '1/head_dim' }, tokens, /scale is the text '1\/head_dim'/);
  });

  it('attention takes a negative offset: the first queries see no key', async () => {
    const { o } = await run('attention_forward', { ...shape, causal: true, kv_offset: -1 }, tokens);
    expect(Array.from(o!)).toEqual([0, 1]);
    const far = await run('attention_forward', { ...shape, causal: true, kv_offset: -(2 ** 31) }, tokens);
    expect(Array.from(far.o!)).toEqual([0, 0]);
  });

  it('attention takes a null mask for none, and refuses one of another size or of other values', async () => {
    const plain = await run('attention_forward', shape, tokens);
    expect(await run('attention_forward', { ...shape, mask: null }, tokens)).toEqual(plain);
    await refused('attention_forward', { ...shape, mask: [[true, false]] }, tokens, /mask needs T × S = 4 values/);
    await refused('attention_forward', { ...shape, mask: [1, 0, 2, 1] }, tokens, /among them 2/);
    await refused('attention_forward', { ...shape, layout: '[head][position]' }, tokens, /layout is the text/);
  });
});

describe('inputs as test files write them', () => {
  const right = Array.from([1, 2, 3, 6], (value) => (value - 3) / Math.sqrt(3.5 + 1e-5));
  const buffer = Float32Array.of(9, 1, 2, 3, 6, 9, 1, 2, 3, 6);

  it('a view and strided rows of a buffer, of which the rest is not touched', async () => {
    const view = { rows: 1, d: 4, layout: 'view', offset_elements: 1, length: 4 };
    near((await run('layernorm_forward', view, { buffer })).y!, right);
    const strided = { rows: 2, d: 4, layout: 'row_stride', row_stride: 5, offset_elements: 1 };
    near((await run('layernorm_forward', strided, { buffer: Array.from(buffer) })).y!, [...right, ...right]);
    expect(Array.from(buffer)).toEqual([9, 1, 2, 3, 6, 9, 1, 2, 3, 6]);
    await refused('layernorm_forward', { ...strided, rows: 3 }, { buffer }, /need 15 numbers; the buffer has 10/);
    await refused('layernorm_forward', { rows: 1, d: 4, layout: 'column' }, { x }, /does not know 'layout'/);
  });

  it('generators, nested lists and the names of special numbers', async () => {
    const { y } = await run('relu', {}, { x: { gen: 'affine_mod', n: 4, a: 1, c: 0, m: 3, scale: 1, offset: -1 } });
    expect(Array.from(y!)).toEqual([0, 0, 1, 0]);
    expect(Array.from((await run('relu', {}, { x: { gen: 'tile', n: 3, values: [1, 2] } })).y!)).toEqual([1, 2, 1]);
    expect(Array.from((await run('relu', {}, { x: [[1], ['Infinity']] })).y!)).toEqual([1, Infinity]);
    await refused('relu', {}, { x: { gen: 'random', n: 3 } }, /no generator the text 'random'/);
  });

  it('losses in double precision', async () => {
    const losses = [1 + 2 ** -40, 1];
    expect(await run('divergence_guard', {}, { losses })).toMatchObject({ best: 1, best_index: 1 });
    expect(await run('divergence_guard', {}, { losses: [1e300, 'NaN'] })).toMatchObject({ stopped_at_index: 1 });
  });
});

describe('sizes at the edge', () => {
  it('a linear layer of no rows, and element counts beyond 31 bits', async () => {
    const params = { rows: 0, n_in: 2, n_out: 1 };
    expect((await run('linear_forward', params, { x: [], weight: [1, 1] })).y!.length).toBe(0);
    const { dx, dweight } = await run('linear_backward', params, { x: [], weight: [1, 1], dy: [] });
    expect([dx!.length, Array.from(dweight!)]).toEqual([0, [0, 0]]);
    expect(await run('element_count', {}, { rows: 2147483648, d: 4 })).toEqual({ count: 2 ** 33 });
    await refused('element_count', {}, { rows: 2 ** 40, d: 2 ** 40 }, /more than 2\^53/);
  });

  it('the most workgroups that 32 bits count', async () => {
    const { dispatches } = await run('dispatch_plan', {}, { groups: [4294967295] });
    const [nx, ny, nz] = dispatches![0] as never as [number, number, number];
    expect(Math.max(nx, ny, nz)).toBeLessThanOrEqual(65535);
    expect(nx * ny * nz).toBeGreaterThanOrEqual(4294967295);
  });

  it('a schedule that ends with its warm-up ends at the least rate', async () => {
    const { lr } = await run('lr_schedule', { W: 4, N: 4, max: 1, min: 0.125 }, { it: [0, 3, 4, 5] });
    near(lr!, [0.2, 0.8, 0.125, 0.125]);
  });

  it('a uniform as WGSL writes it, with a comma after each field', async () => {
    const layout = await run('uniform_layout', { struct: 'n: i32,\n eps: f32,\n' }, { n: -1, eps: 1e-5 });
    expect(layout).toEqual({ bytes_hex_le: 'ffffffffacc52737', size: 8 });
  });

  it('a uniform of vectors is refused with the reason', () =>
    refused('uniform_layout', { struct: 'v: vec3<f32>' }, { v: 1 }, /'v: vec3<f32>' is no 4-byte scalar/));
});

describe('requests as files write them', () => {
  const wide = [...x, ...dy, ...gamma];

  it('take d and rows from the shapes, and one number as a shape', async () => {
    const right = (await layerNorm({ x: wide, dModel: 4 })).y;
    for (const params of [
      { x_shape: [3, 2, 2], normalized_shape: [2, 2] },
      { x_shape: [3, 4], normalized_shape: 4 },
      { rows: 3, d: 4, x_shape: [3, 4], normalized_shape: 4 },
    ])
      expect((await run('layernorm_forward', params, { x: wide })).y).toEqual(right);
  });

  it('are refused where shapes do not fit each other', async () => {
    const norm = (params: object, text: RegExp) => refused('layernorm_forward', params, { x: wide }, text);
    await norm({ d: 6, x_shape: [2, 2, 3], normalized_shape: [3, 2] }, /does not end in normalized_shape \[3, 2\]/);
    await norm({ x_shape: [12], normalized_shape: [2, 6] }, /does not end in/);
    await norm({ d: 4, x_shape: [13] }, /x_shape has 13 numbers|rows is/);
    await norm({ d: 4, x_shape: 'abc' }, /x_shape is the text 'abc'/);
    await norm({ rows: 3, d: 4, normalized_shape: [2, 2.5] }, /normalized_shape is 2.5/);
    await norm({ rows: 3 }, /d is/);
  });

  it('read no number beside their view', async () => {
    const view = { rows: 1, d: 4, layout: 'view', offset_elements: 1, length: 4 };
    const buffer = [9, ...x, 9, 9, 9, 9];
    expect((await run('layernorm_forward', view, { buffer })).y).toEqual((await layerNorm({ x, dModel: 4 })).y);
    await refused('layernorm_forward', { ...view, rows: 2 }, { buffer }, /length is 4; rows 2 × d 4 are 8 numbers/);
    await refused('layernorm_forward', { ...view, length: 9 }, { buffer }, /length is 9/);
  });

  it('are refused where a generator or a list lacks its numbers', async () => {
    const given = (value: unknown, text: RegExp) => refused('tanh', {}, { x: value }, text);
    await given({ gen: 'tile', n: 3 }, /values is undefined/);
    await given({ gen: 'rows_const' }, /row_values is undefined/);
    await given({ gen: 'sparse', n: 1e12, values: {} }, /length of a generator is 1000000000000/);
    await given({ gen: 'affine_mod', n: -1 }, /length of a generator is -1/);
    await refused('gelu', { forms: 'gelu_tanh' }, { x }, /forms is the text 'gelu_tanh'/);
    await refused('adamw', {}, { p: 1, grads: [1], m: [1, 2, 3] }, /m needs 1 numbers but has 3/);
    await refused('adamw', {}, { p: [1, 2, 3], grads: [1, 1, 1], v: [1, 2] }, /v needs 3 numbers but has 2/);
  });

  it('state what the optimizer knew before a step that is skipped', async () => {
    const before = { p: [1, 2], m: [0.5, -0.5], v: [0.25, 1] };
    const result = await run('train_step_guard', { step_before: 7 }, { g: ['NaN', 1], ...before });
    expect(result).toMatchObject({ step: 7, step_skipped: true, flag: 'non-finite gradient' });
    for (const [name, values] of Object.entries(before)) expect(Array.from(result[name]!)).toEqual(values);
  });

  it('write a linear sublayer in any of the usual ways', async () => {
    const normed = (await layerNorm({ x, dModel: 4 })).y;
    for (const [text, factor, shift] of [
      ['f(v)=2v', 2, 0],
      ['f(v) = v * 2', 2, 0],
      ['f(v) = v / 4', 0.25, 0],
      ['f(v) = 0.5*v - 1', 0.5, -1],
      ['f(v) = +v + .5', 1, 0.5],
      ['f(v) = 1e-1 v', 0.1, 0],
      ['f(v) = 0', 0, 0],
    ] as const) {
      const { y } = await run('prenorm_block', { d: 4, sublayer: text }, { x });
      near(
        y!,
        Array.from(normed, (value, i) => x[i]! + factor * value + shift),
        2e-6,
      );
    }
    for (const sublayer of ['f(v) = v^2', 'f(v) = w', 'f(v) = 2 v 3', 'f(v) = ', 7])
      await refused('prenorm_block', { d: 4, sublayer }, { x }, /sublayer is/);
  });
});

describe('what no op reads is refused by name', () => {
  it('in parameters and in inputs', async () => {
    await refused(
      'layernorm_forward',
      { rows: 1, d: 4, epsilon: 1 },
      { x },
      /does not know 'epsilon'.*did you mean 'eps'/,
    );
    await refused('rmsnorm_forward', { rows: 1, d: 4 }, { x, beta: dy }, /does not know 'beta'/);
    await refused('cross_entropy_mean', { V: 2, reduction: 'sum' }, { logits: [1, 2], labels: [0] }, /'reduction'/);
    await refused('add_layernorm_forward', { d: 4, eps: -1 }, { x, residual: x }, /eps is -1/);
    await refused('gelu', { forms: ['gelu_quick'] }, { x }, /forms holds the text 'gelu_quick'/);
    await refused('relu', { n: 3 }, { x }, /x has 4 numbers; n 3/);
    await refused('attention_forward', { T: 1, S: 1, head_dim: 1, causal: 'yes' }, { q: 1, k: 1, v: 1 }, /causal is/);
    const onGpu = runOp({ op: 'prenorm_block', params: { d: 4 }, inputs: { x }, device: 'webgpu' });
    await expect(onGpu).rejects.toMatchObject({ code: 'no-webgpu' });
    await expect(runOp({ op: 'relu', inputs: { x }, device: 'gpu' as never })).rejects.toThrow(
      /device is the text 'gpu'/,
    );
  });
});
