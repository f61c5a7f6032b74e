import { checkArray, checkInteger, checkNumber } from './checks.js';
import { NormscopeError } from './errors.js';
import { runCoreOp, type OpResult } from './op-runner.js';
import type { DeviceWish, Phase } from './types.js';

export interface OpRequest {
  op: string;
  params?: Record<string, unknown>;
  inputs?: Record<string, unknown>;
  device?: DeviceWish;
}

/** An op's outputs by name. */
export type Op = (inputs: OpInputs) => Promise<Record<string, unknown>> | Record<string, unknown>;

/** A request with its values read out and checked by name. */
export class OpInputs {
  readonly params: Record<string, unknown>;
  readonly device: DeviceWish | undefined;
  readonly #inputs: Record<string, unknown>;

  constructor({ params = {}, inputs = {}, device }: OpRequest) {
    this.params = params;
    this.device = device;
    this.#inputs = inputs;
  }

  /** A whole number that must be given. */
  count(name: string, min = 0): number {
    return checkInteger(name, this.params[name], min);
  }

  countOr(name: string, fallback: number, min = 0): number {
    return this.params[name] === undefined ? fallback : this.count(name, min);
  }

  number(name: string, fallback?: number): number {
    return checkNumber(name, this.params[name] ?? fallback);
  }

  flag(name: string): boolean {
    return Boolean(this.params[name]);
  }

  /** The input as floats; undefined when it is absent or null. */
  optional(name: string, length?: number): Float32Array | undefined {
    const value = this.#inputs[name];
    return value === undefined || value === null ? undefined : checkArray(name, flat(value), length);
  }

  /** One number as it was given, not rounded to a float; an array of one counts as its number. */
  single(name: string): unknown {
    const value = this.#inputs[name];
    return Array.isArray(value) && value.length === 1 ? value[0] : value;
  }

  /** Numbers as they were given, not rounded to floats. */
  list(name: string): number[] {
    const value = this.#inputs[name];
    return Array.isArray(value) ? (value as number[]) : [value as number];
  }

  required(name: string, length?: number): Float32Array {
    const floats = this.optional(name, length);
    if (floats) return floats;
    throw new NormscopeError('bad-array', `the op needs the input '${name}'`);
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
}

const isNested = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.some((item) => Array.isArray(item) || typeof item === 'boolean');

/** Nested arrays row by row; one number is an array of one; true and false (masks) are 1 and 0. */
export function flat(value: unknown): unknown {
  if (typeof value === 'number') return [value];
  return isNested(value)
    ? value.flat(Infinity).map((item) => (typeof item === 'boolean' ? Number(item) : item))
    : value;
}
