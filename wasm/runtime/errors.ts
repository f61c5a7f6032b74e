/** What can go wrong; the same codes as in the C++ core, plus those that only JavaScript can meet. */
export type ErrorCode =
  // of the core
  | 'bad-spec'
  | 'bad-size'
  | 'bad-data'
  | 'out-of-memory'
  | 'unknown-op'
  | 'too-large'
  // of the border
  | 'bad-array'
  | 'bad-number'
  | 'bad-option'
  | 'bad-label'
  | 'bad-snapshot'
  | 'unknown-tensor'
  | 'freed'
  // of loading
  | 'no-wasm'
  | 'wasm-refused'
  | 'core-not-found'
  | 'core-broken'
  | 'no-webgpu'
  | 'missing-kernels'
  | 'gpu-refused'
  | 'device-lost'
  // of running
  | 'aborted'
  | 'worker-refused'
  | 'worker-lost';

/**
 * Every error of the package. `code` is for programs (and for translation), `message` says what was given, what was
 * expected and what to do.
 */
export class NormscopeError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'NormscopeError';
    this.code = code;
  }
}

/** The core reports "code: sentence"; '' means that all is well. */
export function errorFromStatus(status: string, rename: (text: string) => string = (text) => text): NormscopeError {
  const colon = status.indexOf(': ');
  const code = status.slice(0, colon) as ErrorCode;
  return new NormscopeError(code, rename(status.slice(colon + 2)));
}

/** An error as plain data, for messages between threads. */
export function describeError(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof NormscopeError) return { code: error.code, message: error.message };
  return { code: 'core-broken', message: error instanceof Error ? error.message : String(error) };
}

/** Rejects as soon as `signal` aborts; otherwise settles as `promise` does. The work itself goes on for others. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined, what: string): Promise<T> {
  if (!signal) return promise;
  const aborted = (): NormscopeError =>
    new NormscopeError('aborted', `${what} was aborted by its signal`, { cause: signal.reason });
  if (signal.aborted) {
    promise.catch(() => undefined);
    throw aborted();
  }
  let onAbort!: () => void;
  const rejection = new Promise<never>((_, reject) => (onAbort = () => reject(aborted())));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, rejection]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
