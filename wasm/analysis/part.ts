/** A part of an analysis: pieces that the core computes one by one, and what is made of them. */
import type { PieceOptions } from './link.js';
import type { StepWiring } from './types.js';

/** What the core says of a model. */
export interface Description {
  spec: Record<string, string | number | boolean>;
  nVocab: number;
  points: string[];
  steps: string[];
  loss: number;
  wiring: StepWiring[];
  matrices: string[];
}

/** The request as the parts need it: everything has a value. */
export interface Wishes {
  scales: readonly number[];
  seed: number;
  nPoint: number;
  noise: number;
  clouds: 'noise' | 'tokens';
  depths: readonly number[];
  nSeed: number;
  steps: number;
  every: number;
  renormalise: boolean;
  vector: readonly number[] | undefined;
}

/** A model other than the one analysed: its differences, or one of the request's snapshots. */
export type Variant = { seed: number; nLayer?: number } | { snapshot: number };

export interface Piece {
  name: string;
  options?: PieceOptions;
  of?: Variant;
}

export type Run = (piece: Piece) => Promise<unknown>;

/** Runs the pieces of a part through `run` and puts their results together. */
export interface Part<T> {
  /** How many pieces it will run. */
  count(model: Description, wishes: Wishes, nSnapshot: number): number;
  compute(run: Run, model: Description, wishes: Wishes, nSnapshot: number): Promise<T>;
}

export const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
export const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Runs the pieces one after the other. */
export async function all<T>(run: Run, pieces: Piece[]): Promise<T[]> {
  const results: T[] = [];
  for (const piece of pieces) results.push((await run(piece)) as T);
  return results;
}
