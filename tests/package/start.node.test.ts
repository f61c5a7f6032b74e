import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const wasm = readFileSync(fileURLToPath(new URL('../../build/wasm/core.wasm', import.meta.url)));

/** A package that was never started. */
const freshPackage = (): Promise<typeof import('normscope')> => import('normscope');

beforeEach(() => vi.resetModules());
afterEach(() => vi.restoreAllMocks());

/** Answers every request with `body`; gives the address and the number of requests. */
async function serve(
  body: Buffer | string,
  type: string,
  status = 200,
): Promise<{ url: string; requests: () => number; close: () => void }> {
  let n = 0;
  const server = createServer((_, response) => {
    n += 1;
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/core.wasm`, requests: () => n, close: () => server.close() };
}

describe('starting the core', () => {
  it('happens once, however many ask', async () => {
    const compile = vi.spyOn(WebAssembly, 'compile');
    const instantiate = vi.spyOn(WebAssembly, 'instantiate');
    const { load, layerNorm } = await freshPackage();
    await Promise.all([load(), load(), layerNorm({ x: [1, 2], dModel: 2 }), load()]);
    await load();
    expect(compile).toHaveBeenCalledTimes(1);
    expect(instantiate).toHaveBeenCalledTimes(1);
  });

  it('leaves no trace when it fails: the next call starts as if nothing had been', async () => {
    const html = new TextEncoder().encode('<!doctype html>');
    const nowhere = new URL('file:///nowhere/core.wasm');
    const failures = [
      [{ wasmUrl: nowhere }, 'core-not-found'],
      [{ wasmBinary: html }, 'core-not-found'],
      [{ wasmUrl: 'core.wasm' }, 'bad-option'],
      [{ wasmBinary: 'core.wasm' as never }, 'bad-option'],
      [{ math: 'turbo' as never }, 'bad-option'],
    ] as const;
    for (const [options, code] of failures) {
      vi.resetModules();
      const { load, layerNorm, NormscopeError } = await freshPackage();
      const error = await load(options).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(NormscopeError);
      expect(error).toMatchObject({ code });
      expect((await layerNorm({ x: [1, 3], dModel: 2 })).mean[0]).toBe(2);
      expect(await load()).toMatchObject({ device: 'wasm', simd: true });
    }
  });

  it('takes each source on its own: a bad one does not hide a good one given after or beside it', async () => {
    const bad = new TextEncoder().encode('<!doctype html>');
    const good = new URL('../../build/wasm/core.wasm', import.meta.url);
    const { load } = await freshPackage();
    await expect(load({ wasmBinary: bad })).rejects.toMatchObject({ code: 'core-not-found' });
    expect(await load({ wasmUrl: good })).toMatchObject({ simd: true });
    vi.resetModules();
    const again = await freshPackage();
    const [first, second] = await Promise.allSettled([again.load({ wasmBinary: bad }), again.load({ wasmUrl: good })]);
    expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
  });

  it('keeps the device that an earlier load chose when a later one names none', async () => {
    vi.doMock('../../wasm/runtime/gpu-device.js', async (original) => ({
      ...(await original<object>()),
      requestGpu: () => Promise.resolve({ state: 'ready', adapter: 'a GPU', device: {} }),
    }));
    const { load } = await freshPackage();
    const onGpu = { device: 'webgpu', adapter: 'a GPU' };
    expect(await load({ device: 'webgpu' })).toMatchObject(onGpu);
    expect(await load()).toMatchObject(onGpu);
    expect(await load({ math: 'exact' })).toMatchObject(onGpu);
    await expect(load({ device: 'gpu' as never })).rejects.toMatchObject({ code: 'bad-option' });
    expect(await load()).toMatchObject(onGpu);
    expect(await load({ device: 'wasm' })).toMatchObject({ device: 'wasm', adapter: null });
    expect(await load()).toMatchObject({ device: 'wasm', adapter: null });
    vi.doUnmock('../../wasm/runtime/gpu-device.js');
  });

  it('takes bytes, a buffer or a compiled module', async () => {
    for (const wasmBinary of [wasm, new Uint8Array(wasm).buffer, await WebAssembly.compile(wasm)]) {
      vi.resetModules();
      const { load } = await freshPackage();
      expect(await load({ wasmBinary })).toMatchObject({ simd: true });
    }
  });

  it('reads the module from any address, whatever type the server names', async () => {
    for (const type of ['application/wasm', 'application/octet-stream', 'text/plain']) {
      vi.resetModules();
      const warn = vi.spyOn(console, 'warn');
      const error = vi.spyOn(console, 'error');
      const { load } = await freshPackage();
      const server = await serve(wasm, type);
      expect(await load({ wasmUrl: server.url })).toMatchObject({ simd: true });
      expect(server.requests()).toBe(1);
      expect(warn.mock.calls.length + error.mock.calls.length).toBe(0);
      server.close();
    }
  });

  it('says what came instead of the module', async () => {
    const answers: [string, number, RegExp][] = [
      ['<!doctype html>', 200, /is not WebAssembly: it starts with "<!do"/],
      ['', 404, /answered 404; serve core\.wasm/],
    ];
    for (const [body, status, text] of answers) {
      vi.resetModules();
      const { load } = await freshPackage();
      const server = await serve(body, 'text/html', status);
      await expect(load({ wasmUrl: server.url })).rejects.toThrow(text);
      server.close();
    }
    const { load } = await freshPackage();
    await expect(load({ wasmUrl: 'http://127.0.0.1:1/core.wasm' })).rejects.toMatchObject({ code: 'core-not-found' });
    await expect(load({ wasmBinary: Uint8Array.of(0, 97, 115, 109, 9, 9) })).rejects.toMatchObject({
      code: 'core-broken',
    });
  });

  it('names a content security policy that refuses WebAssembly', async () => {
    vi.spyOn(WebAssembly, 'compile').mockRejectedValue(
      new WebAssembly.CompileError("Refused to compile: 'unsafe-eval' is not an allowed source"),
    );
    const { load } = await freshPackage();
    await expect(load()).rejects.toMatchObject({
      code: 'wasm-refused',
      message: expect.stringContaining("'wasm-unsafe-eval'"),
    });
  });

  it('can be given up by one caller without harm to the others', async () => {
    const { load } = await freshPackage();
    const controller = new AbortController();
    const [mine, others] = [load({ signal: controller.signal }), load()];
    controller.abort();
    await expect(mine).rejects.toMatchObject({ code: 'aborted' });
    expect(await others).toMatchObject({ device: 'wasm' });
  });

  it('uses the scalar build where the engine has no SIMD, with the same bits', async () => {
    const x = Float32Array.from({ length: 3 * 37 }, (_, i) => Math.sin(i) * 10 ** (i % 5));
    const request = { x, dModel: 37, gamma: x.subarray(0, 37) };
    const withSimd = await (await freshPackage()).layerNorm(request);
    vi.resetModules();
    vi.spyOn(WebAssembly, 'validate').mockReturnValue(false);
    const { load, layerNorm } = await freshPackage();
    expect(await load()).toMatchObject({ simd: false });
    expect(await layerNorm(request)).toEqual(withSimd);
  });

  it('takes the fast build only where the engine accepts relaxed SIMD', async () => {
    const { load, layerNorm } = await freshPackage();
    expect(await load({ math: 'fast' })).toMatchObject({ simd: true });
    expect((await layerNorm({ x: [1, 3], dModel: 2 })).mean[0]).toBe(2);
  });

  it('leaves the default at WASM when WebGPU was asked for and is not there', async () => {
    const { load, layerNorm } = await freshPackage();
    expect(await load({ device: 'webgpu' })).toMatchObject({ device: 'wasm', adapter: null });
    expect((await layerNorm({ x: [1, 3], dModel: 2 })).mean[0]).toBe(2);
    await expect(layerNorm({ x: [1, 3], dModel: 2, device: 'webgpu' })).rejects.toMatchObject({ code: 'no-webgpu' });
  });

  it('refuses options that do not exist', async () => {
    const { load } = await freshPackage();
    await expect(load({ wasmURL: 'x' } as never)).rejects.toThrow(
      /load does not know 'wasmURL'; did you mean 'wasmUrl'/,
    );
    await expect(load({ device: 'gpu' as never })).rejects.toThrow(/device is the text 'gpu'.*'webgpu'/);
    await expect(load({ math: 'turbo' as never })).rejects.toThrow(/math is the text 'turbo'.*'exact', 'fast'/);
  });
});
