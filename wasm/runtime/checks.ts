/**
 * Checks at the public border. Each either returns a value that is safe to hand on or throws a NormscopeError that
 * names the argument, what was given and what was expected. Nothing is written before all checks have passed.
 */
import { NormscopeError } from './errors.js';
import type { DeviceWish, NumberArray } from './types.js';

/** Floats that one arena can hold: 3 GiB, what a 32-bit WASM memory leaves for data. */
export const MAX_FLOATS = (3 * 2 ** 30) / 4;

/** Refuses keys that the request does not know, with the nearest known one. */
export function checkKeys(what: string, request: object, known: readonly string[]): void {
  if (request === null || typeof request !== 'object' || Array.isArray(request)) {
    throw new NormscopeError(
      'bad-option',
      `${what} takes one object, e.g. { ${known.slice(0, 2).join(', ')} }, not ${show(request)}`,
    );
  }
  for (const key of Object.keys(request)) {
    if (known.includes(key)) continue;
    throw new NormscopeError(
      'bad-option',
      `${what} does not know '${key}'${suggest(key, known) || '.'} It knows ${known.join(', ')}`,
    );
  }
}

/** One of a few names, or nothing. */
export function checkChoice<T extends string>(name: string, value: unknown, choices: readonly T[]): T | undefined {
  if (value === undefined || choices.includes(value as T)) return value as T | undefined;
  const near = typeof value === 'string' ? suggest(value, choices) : '';
  throw new NormscopeError(
    'bad-option',
    `${name} is ${show(value)}${near || '.'} Expected one of ${choices.map((choice) => `'${choice}'`).join(', ')}`,
  );
}

export const checkDevice = (device: unknown): DeviceWish | undefined =>
  checkChoice('device', device, ['auto', 'wasm', 'webgpu']);

/** An object with arrays by name; which names there are is the plan's to say. */
export function checkNamed(name: string, value: unknown): asserts value is Record<string, NumberArray> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)) return;
  throw new NormscopeError('bad-option', `${name} is ${show(value)}; expected an object with arrays by name`);
}

export function checkFlag(name: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw new NormscopeError('bad-option', `${name} is ${show(value)}; expected true or false`);
}

/** A caller's function, or nothing; `of` says what it is called with. */
export function checkFunction(name: string, value: unknown, of = ''): void {
  if (value === undefined || typeof value === 'function') return;
  throw new NormscopeError('bad-option', `${name} is ${show(value)}; expected a function${of}`);
}

export function checkSignal(signal: unknown): void {
  if (signal === undefined || typeof (signal as AbortSignal | null)?.addEventListener === 'function') return;
  throw new NormscopeError('bad-option', `signal is ${show(signal)}; expected the signal of an AbortController`);
}

/** `; did you mean 'eps'?` or '' when nothing is near. */
export function suggest(word: string, known: readonly string[]): string {
  const lower = word.toLowerCase();
  const distanceTo = (other: string): number =>
    lower.startsWith(other) || other.startsWith(lower) ? 1 : editDistance(lower, other);
  const near = known
    .map((candidate) => ({ candidate, distance: distanceTo(candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return near && near.distance <= Math.max(2, word.length / 3) ? `; did you mean '${near.candidate}'?` : '';
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    const next = [i];
    for (let j = 1; j <= b.length; ++j) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** A whole number in [min, max]; never converted from text, never wrapped. */
export function checkInteger(name: string, value: unknown, min = 0, max = 2 ** 31 - 1): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new NormscopeError('bad-number', `${name} is ${show(value)}; expected a whole number from ${min} to ${max}`);
}

export function checkNumber(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new NormscopeError('bad-number', `${name} is ${show(value)}; expected a finite number`);
}

/** ε: finite and not negative. 0 is allowed; a constant row then gives NaN. */
export function checkEps(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new NormscopeError(
    'bad-number',
    `eps is ${show(value)}; expected a finite number that is not negative, e.g. 1e-5`,
  );
}

/** rows · d, exact beyond 32 bits. */
export const elementCount = (rows: number, d: number): number => rows * d;

/** Refuses sizes whose arena, of `nArray` arrays of rows · d numbers, could not exist. */
export function checkFits(rows: number, d: number, nArray: number): void {
  const count = elementCount(rows, d);
  if (count * nArray <= MAX_FLOATS) return;
  const bytes = count * nArray * 4;
  const gigabytes = (n: number): string => `${(n / 1e9).toFixed(1)} GB`;
  throw new NormscopeError(
    'too-large',
    `rows ${rows} × d ${d} are ${group(count)} numbers (${gigabytes(count * 4)}); the call needs ${nArray} such arrays, ` +
      `${group(bytes)} bytes (${gigabytes(bytes)}), and at most ${gigabytes(MAX_FLOATS * 4)} fit`,
  );
}

/** 3600000000 -> '3,600,000,000' */
function group(value: number): string {
  return value.toLocaleString('en-US');
}

/**
 * The floats of `value`, which must be a Float32Array (used as it is, views honoured), a Float64Array or an array of
 * numbers (converted). Everything else is refused: other element types, detached buffers, strided or nested arrays.
 */
export function checkArray(name: string, value: unknown, length?: number): Float32Array {
  const floats = toFloats(name, value);
  if (length !== undefined && floats.length !== length) {
    throw new NormscopeError('bad-size', `${name} needs ${length} numbers but has ${floats.length}`);
  }
  return floats;
}

function toFloats(name: string, value: unknown): Float32Array {
  const type = viewType(value);
  if (type === 'Float32Array') return checkAttached(name, value as Float32Array);
  if (type === 'Float64Array') return new Float32Array(checkAttached(name, value as Float64Array));
  if (Array.isArray(value)) return fromNumbers(name, value);
  const advice = 'give a Float32Array, a Float64Array or an array of numbers';
  if (type) throw new NormscopeError('bad-array', `${name} is ${article(type)} ${type}; ${advice}`);
  if (isStrided(value)) {
    throw new NormscopeError(
      'bad-array',
      `${name} is an array object with strides; copy it to a dense Float32Array first (row-major)`,
    );
  }
  throw new NormscopeError('bad-array', `${name} is ${show(value)}; ${advice}`);
}

const typedArrayName = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)!.get!;

/** 'Float32Array', 'DataView', …, of any realm; undefined for whatever is no view, whatever it calls itself. */
function viewType(value: unknown): string | undefined {
  return ArrayBuffer.isView(value) ? ((typedArrayName.call(value) as string | undefined) ?? 'DataView') : undefined;
}

const article = (word: string): string => (/^[AEIO]/.test(word) ? 'an' : 'a');

function isStrided(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('stride' in value || 'strides' in value || 'data' in value);
}

function checkAttached<T extends Float32Array | Float64Array>(name: string, value: T): T {
  if (value.length === 0 && isDetached(value.buffer)) {
    throw new NormscopeError(
      'bad-array',
      `${name} is detached: its buffer was transferred or its memory has grown; make a new array`,
    );
  }
  return value;
}

function isDetached(buffer: ArrayBufferLike): boolean {
  if (buffer.byteLength > 0) return false;
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

function fromNumbers(name: string, values: readonly unknown[]): Float32Array {
  const floats = new Float32Array(values.length);
  for (let i = 0; i < values.length; ++i) {
    const value = values[i];
    if (typeof value !== 'number') {
      const advice = Array.isArray(value) ? 'flatten nested arrays row by row' : 'expected a number';
      throw new NormscopeError('bad-array', `${name}[${i}] is ${show(value)}; ${advice}`);
    }
    floats[i] = value;
  }
  return floats;
}

/** The caller's array for a result: a Float32Array of exactly `length` values. */
export function checkOut(out: unknown, length: number): Float32Array | undefined {
  if (out === undefined) return undefined;
  if (viewType(out) !== 'Float32Array') {
    throw new NormscopeError('bad-array', `out is ${show(out)}; expected a Float32Array of ${length} values`);
  }
  return checkArray('out', out, length);
}

/** Class numbers: whole, in [0, nClass), or the ignore value if there is one. */
export function checkLabels(name: string, labels: NumberArray, nClass: number, ignore?: number): void {
  for (let i = 0; i < labels.length; ++i) {
    const label = labels[i]!;
    if (label === ignore || (Number.isInteger(label) && label >= 0 && label < nClass)) continue;
    throw new NormscopeError(
      'bad-label',
      `${name}[${i}] is ${label}; expected a class from 0 to ${nClass - 1}` +
        (ignore === undefined ? '' : `, or ${ignore} to skip it`),
    );
  }
}

/** A value as it may stand in an error text. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `the text '${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null)
    return `an object (${Object.prototype.toString.call(value).slice(8, -1)})`;
  return String(value);
}
