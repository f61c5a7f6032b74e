import { createSession, layerNorm, layerNormBackward, NormscopeError, transformerBlock } from 'normscope';
import { runOp } from 'normscope/testing';
import { describe, expect, it } from 'vitest';
import { near } from './numbers.js';

const refusal = async (call: Promise<unknown>): Promise<NormscopeError> => {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(NormscopeError);
  expect((error as Error).message).toMatch(/\w+ \w+/);
  return error as NormscopeError;
};

describe('what is wrong is refused by name before anything is written', () => {
  it('gamma of the wrong length', async () => {
    const out = new Float32Array(12).fill(7);
    const x = new Float32Array(12).map((_, i) => i);
    const error = await refusal(layerNorm({ x, dModel: 6, gamma: [1, 1, 1, 1, 1], beta: new Float32Array(6), out }));
    expect(error.message).toMatch(/gamma.*6.*5/);
    expect(error.code).toBe('bad-size');
    expect(out.every((value) => value === 7)).toBe(true);
    near((await layerNorm({ x, dModel: 6 })).mean, [2.5, 8.5]);
  });

  it('eps', async () => {
    for (const eps of [-1e-5, NaN, Infinity, 'abc'])
      expect((await refusal(layerNorm({ x: [1, 2], dModel: 2, eps: eps as number }))).message).toMatch(/^eps is/);
  });

  it('sizes', async () => {
    for (const dModel of [0, -1, 2.5, NaN, '3', 4294967298])
      expect((await refusal(layerNorm({ x: [1, 2, 3, 4], dModel: dModel as number }))).message).toMatch(/^dModel is/);
    for (const rows of [-1, 2.5, NaN, '3', 4294967298]) {
      const error = await refusal(
        runOp({ op: 'layernorm_forward', params: { rows, d: 2 }, inputs: { x: [1, 2, 3, 4] } }),
      );
      expect(error.message).toMatch(/^rows is/);
    }
    expect((await refusal(layerNorm({ x: [1, 2, 3], dModel: 2 }))).message).toMatch(/x has 3 numbers.*dModel 2/);
    expect((await refusal(layerNorm({ x: [1, 2], dModel: 2, out: new Float32Array(3) }))).message).toMatch(
      /out needs 2 numbers but has 3/,
    );
    expect((await refusal(layerNormBackward({ x: [1, 2], dy: [1], dModel: 2 }))).message).toMatch(
      /dy.*x has 2, dy has 1/,
    );
  });

  it('sizes that no memory holds, with the size in the text', async () => {
    const large = await refusal(
      runOp({ op: 'layernorm_forward', params: { rows: 30000, d: 30000 }, inputs: { x: [] } }),
    );
    expect(large.code).toBe('too-large');
    expect(large.message).toMatch(/900,000,000 numbers \(3\.6 GB\)/);
    const beyond = await refusal(
      runOp({ op: 'layernorm_forward', params: { rows: 65536, d: 65536 }, inputs: { x: [] } }),
    );
    expect(beyond.message).toMatch(/4,294,967,296/);
  });

  it('arrays of other types, strided, nested, detached', async () => {
    const disguised = Object.defineProperty(Int32Array.of(1, 2), Symbol.toStringTag, { value: 'Float32Array' });
    const refused: [unknown, RegExp][] = [
      [{ [Symbol.toStringTag]: 'Float32Array', length: 2, 0: 1, 1: 2 }, /x is an object/],
      [disguised, /x is an Int32Array/],
      [Int32Array.of(1, 2), /x is an Int32Array/],
      [Uint8Array.of(1, 2), /x is a Uint8Array/],
      [BigInt64Array.of(1n, 2n), /x is a BigInt64Array/],
      [new DataView(new ArrayBuffer(8)), /x is a DataView/],
      [{ data: new Float32Array(4), shape: [2], stride: [2], offset: 0 }, /x is an array object with strides/],
      [[[1, 2]], /x\[0\] is an array; flatten/],
      [['1', 2], /x\[0\] is the text '1'/],
      ['12', /x is the text '12'/],
      [null, /x is null/],
      [undefined, /x is undefined/],
    ];
    for (const [x, text] of refused)
      expect((await refusal(layerNorm({ x: x as Float32Array, dModel: 2 }))).message).toMatch(text);

    const detached = Float32Array.of(1, 2);
    structuredClone(detached, { transfer: [detached.buffer] });
    expect((await refusal(layerNorm({ x: detached, dModel: 2 }))).message).toMatch(/x is detached/);
    const fake = { [Symbol.toStringTag]: 'Float32Array', length: 2 } as never;
    expect((await refusal(layerNorm({ x: [1, 2], dModel: 2, out: fake }))).message).toMatch(/out is an object/);
    const out = new Float32Array(2);
    structuredClone(out, { transfer: [out.buffer] });
    expect((await refusal(layerNorm({ x: [1, 2], dModel: 2, out }))).message).toMatch(/out is detached/);
  });

  it('options that do not exist, with the nearest one', async () => {
    expect((await refusal(layerNorm({ x: [1, 2], dModel: 2, epsilon: 1 } as never))).message).toMatch(
      /layerNorm does not know 'epsilon'; did you mean 'eps'/,
    );
    expect((await refusal(layerNorm({ x: [1, 2], dModel: 2, device: 'gpu' as never }))).message).toMatch(
      /device is the text 'gpu'/,
    );
    expect((await refusal(layerNorm(undefined as never))).message).toMatch(/layerNorm takes one object/);
  });

  it('blocks and sessions that are asked for in no known way', async () => {
    const x = new Float32Array(4);
    const spec = { dModel: 4, nHead: 2 };
    const data = { kind: 'markov' } as const;
    const refused: [Promise<unknown>, RegExp][] = [
      [transformerBlock({ x, spec: [] as never }), /spec takes one object/],
      [transformerBlock({ x, spec, train: 'no' as never }), /train is the text 'no'; expected true or false/],
      [transformerBlock({ x, spec, parameters: null as never }), /parameters is null/],
      [createSession({ spec: [] as never, data }), /spec takes one object.*not an array/],
      [createSession({ spec: null as never, data }), /spec takes one object.*not null/],
      [createSession({ spec, data: 0 as never }), /data is 0\. Give \{ kind: 'markov' \}/],
      [
        createSession({ spec, data: { kind: 'text', text: 'abc', jamo: 'no' } as never }),
        /data\.jamo is the text 'no'/,
      ],
      [createSession({ spec, data, device: 'gpu' as never }), /device is the text 'gpu'/],
    ];
    for (const [call, text] of refused) expect((await refusal(call)).message).toMatch(text);
    using session = await createSession({ spec, data });
    for (const parameters of [undefined, [], 3])
      expect((await refusal(session.loadParameters({ parameters } as never))).message).toMatch(/^parameters is/);
    expect((await refusal(session.nextBatch({ split: 'test' as never }))).message).toMatch(/'train', 'held-out'/);
  });

  it('labels, naming position and label', async () => {
    const request = { op: 'cross_entropy_mean', params: { V: 5, rows: 2, ignore_index: -100 } };
    for (const label of [5, -1]) {
      const error = await refusal(runOp({ ...request, inputs: { logits: new Float32Array(10), labels: [0, label] } }));
      expect(error.message).toContain(`labels[1] is ${label}`);
    }
    await runOp({ ...request, inputs: { logits: new Float32Array(10), labels: [0, -100] } });
    const tables = { token_table: new Float32Array(4), position_table: new Float32Array(2) };
    const beyond = runOp({
      op: 'embedding',
      params: { vocab: 2, d: 2, ctx: 1 },
      inputs: { tokens: [2], ...tables },
    });
    expect((await refusal(beyond)).message).toMatch(/tokens\[0\] is 2; expected a class from 0 to 1$/);
  });

  it('sequences longer than the position table or nCtx', async () => {
    const tables = { token_table: new Float32Array(8), position_table: new Float32Array(6) };
    const error = await refusal(
      runOp({ op: 'embedding', params: { vocab: 4, d: 2, ctx: 4 }, inputs: { tokens: [0, 1, 2, 3], ...tables } }),
    );
    expect(error.message).toMatch(/sequence of ctx 4 tokens is longer than the position table, which has 3 rows/);
    const block = transformerBlock({ x: new Float32Array(20), spec: { dModel: 4, nHead: 2, nCtx: 4 } });
    expect((await refusal(block)).message).toMatch(/5 rows.*longer than nCtx 4/);
  });
});
