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

  it('can be tried again after a failure', async () => {
    const { load, layerNorm } = await freshPackage();
    await expect(load({ wasmUrl: new URL('file:///nowhere/core.wasm') })).rejects.toMatchObject({
      code: 'core-not-found',
      message: expect.stringContaining('wasmBinary'),
    });
    await expect(layerNorm({ x: [1, 2], dModel: 2 })).rejects.toMatchObject({ code: 'core-not-found' });
    expect(await load({ wasmBinary: wasm })).toMatchObject({ device: 'wasm', simd: true });
    expect((await layerNorm({ x: [1, 3], dModel: 2 })).mean[0]).toBe(2);
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
  });
});
