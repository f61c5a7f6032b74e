/** The request of an op, read out and checked by name; what no one reads is refused. */
import {
  checkArray,
  checkChoice,
  checkDevice,
  checkEps,
  checkFlag,
  checkInteger,
  checkNumber,
  suggest,
} from './checks.js';
import { NormscopeError } from './errors.js';
import { runCoreOp, type OpResult } from './op-runner.js';
import { denseRows, flat } from './testing-values.js';
import type { DeviceWish, Phase } from './types.js';

export interface OpRequest {
  op: string;
  params?: Record<string, unknown>;
  inputs?: Record<string, unknown>;
  device?: DeviceWish;
}

/** An op's outputs by name. */
export type Op = (inputs: OpInputs) => Promise<Record<string, unknown>> | Record<string, unknown>;

/** Parameters that say something about a case and change no result. */
const DESCRIPTIONS = ['alias', 'note', 'rule', 'storage'];

/** A request with its values read out and checked by name; null counts as absent. */
export class OpInputs {
  readonly device: DeviceWish | undefined;
  readonly #params: Record<string, unknown>;
  readonly #inputs: Record<string, unknown>;
  readonly #read = new Set(DESCRIPTIONS);

  constructor({ params, inputs, device }: OpRequest) {
    this.device = checkDevice(device);
    this.#params = params ?? {};
    this.#inputs = inputs ?? {};
  }

  /** A parameter as it was given. */
  param(name: string): unknown {
    this.#read.add(name);
    return this.#params[name] ?? undefined;
  }

  /** A whole number that must be given. */
  count(name: string, min = 0): number {
    return checkInteger(name, this.param(name), min);
  }

  countOr(name: string, fallback: number, min = 0, max?: number): number {
    return checkInteger(name, this.param(name) ?? fallback, min, max);
  }

  number(name: string, fallback?: number): number {
    return checkNumber(name, this.param(name) ?? fallback);
  }

  eps(fallback = 1e-5): number {
    return checkEps(this.param('eps') ?? fallback);
  }

  flag(name: string, fallback = false): boolean {
    return checkFlag(name, this.param(name)) ?? fallback;
  }

  choice<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
    return checkChoice(name, this.param(name), choices) ?? choices[0];
  }

  /** The input as floats; undefined when it is absent or null. */
  optional(name: string, length?: number): Float32Array | undefined {
    const value = name === 'x' ? this.#x() : this.#input(name);
    return value === undefined ? undefined : checkArray(name, flat(value), length);
  }

  required(name: string, length?: number): Float32Array {
    const floats = this.optional(name, length);
    if (floats) return floats;
    throw new NormscopeError('bad-array', `the op needs the input '${name}'`);
  }

  /** Numbers as they were given, not rounded to floats. */
  values(name: string): number[] {
    const value = flat(this.#input(name));
    checkArray(name, value);
    return Array.from(value as ArrayLike<number>);
  }

  /** One number as it was given, not rounded to a float. */
  single(name: string, fallback?: number): number {
    const value = this.#input(name) ?? fallback;
    if (value === undefined) throw new NormscopeError('bad-array', `the op needs the input '${name}'`);
    const list = flat(value);
    return checkNumber(name, Array.isArray(list) && list.length === 1 ? list[0] : value);
  }

  /** Refuses the request when it holds what the op did not look at: the result would not mean what was asked for. */
  checkAllRead(op: string): void {
    const given = [...Object.entries(this.#params), ...Object.entries(this.#inputs)];
    const unread = given.find(([name, value]) => value !== undefined && value !== null && !this.#read.has(name))?.[0];
    if (unread === undefined) return;
    const known = [...this.#read].filter((name) => !DESCRIPTIONS.includes(name));
    throw new NormscopeError(
      'bad-option',
      `${op} does not know '${unread}'${suggest(unread, known) || '.'} Here it reads ${known.join(', ')}`,
    );
  }

  /** One op of the core with these inputs. */
  run(
    op: string,
    params: Record<string, number | boolean>,
    tensors: Record<string, Float32Array | undefined>,
    phases: Phase[],
    outputs: string[],
  ): Promise<OpResult> {
    const into = Object.fromEntries(outputs.map((name) => [name, undefined]));
    return runCoreOp({ op, params, inputs: tensors, phases, outputs: into, device: this.device });
  }

  /** The input as it was given. */
  #input(name: string): unknown {
    this.#read.add(name);
    return this.#inputs[name] ?? undefined;
  }

  /** x, which may lie in a larger buffer, at an offset and with a stride from row to row. */
  #x(): unknown {
    const buffer = this.#input('buffer') ?? this.#input('x');
    const isView = this.#params.layout === 'view' || this.#params.layout === 'row_stride';
    if (buffer === undefined || (!isView && this.#params.row_stride === undefined && this.#inputs.buffer === undefined))
      return buffer;
    this.#read.add('layout');
    const floats = checkArray('buffer', flat(buffer));
    const offset = this.countOr('offset_elements', 0);
    const length = this.countOr('length', floats.length - offset);
    const d = this.countOr('d', length, 1);
    const rows = this.countOr('rows', Math.floor(length / d));
    const stride = this.countOr('row_stride', d, 1);
    // What lies beside the view must not be read.
    if (stride === d && this.param('length') !== undefined && rows * d !== length)
      throw new NormscopeError('bad-size', `length is ${length}; rows ${rows} × d ${d} are ${rows * d} numbers`);
    return denseRows(floats, { rows, d, offset, stride });
  }
}
