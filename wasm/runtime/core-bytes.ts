/** From a URL or bytes to a compiled WebAssembly.Module, in the browser and in Node, with errors that say what to do. */
import { show } from './checks.js';
import { NormscopeError } from './errors.js';
import type { LoadOptions } from './types.js';

export type CoreSource = ArrayBuffer | Uint8Array | WebAssembly.Module | URL;

/** What the caller gave to start from, if anything. A relative address counts from the page. */
export function givenSource({ wasmBinary, wasmUrl }: LoadOptions): CoreSource | undefined {
  if (wasmBinary !== undefined) return checkBinary(wasmBinary);
  if (wasmUrl === undefined || wasmUrl instanceof URL) return wasmUrl;
  try {
    return new URL(wasmUrl, globalThis.document?.baseURI ?? globalThis.location?.href);
  } catch (cause) {
    throw new NormscopeError(
      'bad-option',
      `wasmUrl is ${show(wasmUrl)}; expected an absolute address here, e.g. https://… or new URL('core.wasm', import.meta.url)`,
      { cause },
    );
  }
}

function checkBinary(binary: CoreSource): CoreSource {
  const type = Object.prototype.toString.call(binary).slice(8, -1);
  if (ArrayBuffer.isView(binary) || /^(Shared)?ArrayBuffer$|^WebAssembly\.Module$/.test(type)) return binary;
  throw new NormscopeError(
    'bad-option',
    `wasmBinary is ${show(binary)}; expected the bytes of core.wasm or a WebAssembly.Module`,
  );
}

const CSP_ADVICE = "allow it with the content security policy: script-src 'self' 'wasm-unsafe-eval'";

export async function compileCore(source: CoreSource): Promise<WebAssembly.Module> {
  if (typeof WebAssembly !== 'object') {
    throw new NormscopeError(
      'no-wasm',
      'this environment has no WebAssembly; use a current browser or Node 20.19 and later',
    );
  }
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof URL)
    return source.protocol === 'file:' ? compile(readFile(source), source.href) : compileFrom(source);
  return compile(source as BufferSource, 'wasmBinary');
}

/** Node only: a browser never opens file addresses. */
function readFile(url: URL): BufferSource {
  const fs = typeof process === 'object' ? process.getBuiltinModule?.('node:fs') : undefined;
  if (!fs) {
    throw new NormscopeError(
      'core-not-found',
      `${url.href} cannot be read from a page that was opened as a file; serve the page, or pass wasmBinary`,
    );
  }
  try {
    return fs.readFileSync(url);
  } catch (cause) {
    throw new NormscopeError(
      'core-not-found',
      `${url.href} cannot be read; core.wasm lies beside the package's index.js, or pass wasmBinary or wasmUrl`,
      { cause },
    );
  }
}

async function compileFrom(url: URL): Promise<WebAssembly.Module> {
  const advice = 'serve core.wasm beside the script, or pass wasmUrl or wasmBinary';
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'same-origin' });
  } catch (cause) {
    throw new NormscopeError(
      'core-not-found',
      `${url.href} could not be fetched (network, CORS or content security policy); ${advice}`,
      { cause },
    );
  }
  if (!response.ok) throw new NormscopeError('core-not-found', `${url.href} answered ${response.status}; ${advice}`);
  const type = response.headers.get('content-type') ?? '';
  // Streaming demands the right MIME type; with any other the slower way gives the same module.
  if (type.startsWith('application/wasm')) return refusalsNamed(WebAssembly.compileStreaming(response), url.href);
  return compile(await response.arrayBuffer(), url.href);
}

function compile(bytes: BufferSource, name: string): Promise<WebAssembly.Module> {
  const head = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, Math.min(4, bytes.byteLength))
    : new Uint8Array(bytes).subarray(0, 4);
  if (String.fromCharCode(...head) !== '\0asm') {
    const start = JSON.stringify(String.fromCharCode(...head));
    throw new NormscopeError(
      'core-not-found',
      `${name} is not WebAssembly: it starts with ${start} (an HTML page answered in its place?)`,
    );
  }
  return refusalsNamed(WebAssembly.compile(bytes), name);
}

async function refusalsNamed(module: Promise<WebAssembly.Module>, name: string): Promise<WebAssembly.Module> {
  try {
    return await module;
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    if (/content security policy|unsafe-eval/i.test(text)) {
      throw new NormscopeError('wasm-refused', `this page refuses WebAssembly; ${CSP_ADVICE}`, { cause });
    }
    throw new NormscopeError('core-broken', `${name} could not be compiled: ${text}`, { cause });
  }
}
