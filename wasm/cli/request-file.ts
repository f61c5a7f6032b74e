/** What is to be run: a file of JSON, `-` for standard input, or the name of a placement. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, relative, resolve } from 'node:path';
import {
  type ExperimentRecord,
  type ExperimentRequest,
  type ModelSpec,
  NormscopeError,
  parseRecords,
  PLACEMENTS,
  type Snapshot,
  type TrainingData,
} from 'normscope';
import { cli, type CliMessages } from '../../web/locales/cli.js';
import { toCamelCase } from '../runtime/spec.js';
import { nearest } from './arguments.js';

/** What the file of a run or of a sweep says. */
export interface RequestFile extends Pick<
  ExperimentRequest,
  'base' | 'data' | 'grid' | 'mode' | 'evaluation' | 'keepCurve'
> {
  base: ModelSpec;
  steps?: number;
  /** Of the wiring: what the file says, or its own name. */
  name: string;
  /** The file that `data.text` was read from, relative to the working directory. */
  textFile?: string;
}

const KEYS = ['name', 'spec', 'base', 'data', 'grid', 'steps', 'mode', 'evaluation', 'keepCurve'];
/** A spec alone has none of these. */
const REQUEST_KEYS = KEYS.filter((key) => key !== 'name');

type Words = CliMessages['file'];

/** Anything wrong with a file; its words name the file and say what to do. */
export class FileError extends Error {
  constructor(
    readonly words: (file: Words) => string,
    options?: ErrorOptions,
  ) {
    super(words(cli.en.file), options);
  }
}

type Json = Record<string, unknown>;

/** @throws FileError */
export function readRequest(source: string): RequestFile {
  if (isPlacement(source)) return { base: { placement: source } as ModelSpec, name: source };
  const folder = source === '-' ? process.cwd() : dirname(resolve(source));
  const value = parseJson(readText(source), source);
  const request: Json = REQUEST_KEYS.some((key) => key in value) ? value : { spec: value };
  checkKeys(request, source);
  const data = readData(request.data, folder, source);
  return {
    name: String(request.name ?? (source === '-' ? 'stdin' : basename(source, extname(source)))),
    base: readSpec(request.spec ?? request.base ?? {}, source),
    ...data,
    ...(request.grid !== undefined && { grid: readGrid(request.grid, folder, source) }),
    ...(request.steps !== undefined && { steps: request.steps as number }),
    ...(request.mode !== undefined && { mode: request.mode as RequestFile['mode'] }),
    ...(request.evaluation !== undefined && { evaluation: request.evaluation as RequestFile['evaluation'] }),
    ...(request.keepCurve !== undefined && { keepCurve: request.keepCurve as boolean }),
  };
}

const isPlacement = (name: string): boolean => PLACEMENTS.some((row) => row.name === name);

function readText(source: string): string {
  if (source === '-') return readFileSync(0, 'utf8');
  if (!existsSync(source)) {
    const near = nearest(source, PLACEMENTS.map(({ name }) => name)); // prettier-ignore
    throw new FileError((file) => file.missing(source, near));
  }
  return readFileSync(source, 'utf8');
}

function parseJson(text: string, source: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new FileError((file) => file.notJson(source, (cause as Error).message), { cause });
  }
  if (isObject(value)) return value;
  throw new FileError((file) => file.notObject(source));
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checkKeys(request: Json, source: string): void {
  for (const key of Object.keys(request)) {
    if (KEYS.includes(key)) continue;
    throw new FileError((file) => file.unknownKey(source, key, nearest(key, KEYS), KEYS.join(', ')));
  }
  if ('spec' in request && 'base' in request) throw new FileError((file) => file.specAndBase(source));
}

/** Fields in either spelling, nLayer or n_layer; what they may hold is the package's to check. */
function readSpec(value: unknown, source: string): ModelSpec {
  if (!isObject(value)) throw new FileError((file) => file.spec(source));
  return withFieldNames(value, source) as ModelSpec;
}

function withFieldNames(fields: Json, source: string): Json {
  const spec: Json = {};
  for (const [name, value] of Object.entries(fields)) {
    const field = toCamelCase(name);
    if (Object.hasOwn(spec, field)) throw new FileError((file) => file.twice(source, field));
    spec[field] = value;
  }
  return spec;
}

function readGrid(value: unknown, folder: string, source: string): ExperimentRequest['grid'] {
  if (!isObject(value)) throw new FileError((file) => file.grid(source));
  const grid = withFieldNames(value, source);
  if (Array.isArray(grid.variant)) grid.variant = grid.variant.map((variant) => readSpec(variant, source));
  if (Array.isArray(grid.data)) grid.data = grid.data.map((data) => readData(data, folder, source).data);
  return grid as ExperimentRequest['grid'];
}

/** A text may lie in a file beside this one. */
function readData(value: unknown, folder: string, source: string): Pick<RequestFile, 'data' | 'textFile'> {
  if (value === undefined) return {};
  if (!isObject(value) || value.kind !== 'text' || !('file' in value)) return { data: value as TrainingData };
  const { file, ...data } = value;
  if (typeof file !== 'string' || 'text' in value) throw new FileError((words) => words.textOrFile(source));
  return {
    data: { ...data, ...readTextFile(resolve(folder, file)) } as TrainingData,
    textFile: fromHere(folder, file),
  };
}

const fromHere = (folder: string, file: string): string => relative(process.cwd(), resolve(folder, file));

function readTextFile(path: string): { text: string } {
  if (!existsSync(path)) throw new FileError((file) => file.noText(path));
  return { text: readFileSync(path, 'utf8') };
}

/** Training data of a text file that the command line names. */
export function textData(file: string): Pick<RequestFile, 'data' | 'textFile'> {
  return { data: { kind: 'text', ...readTextFile(resolve(file)) }, textFile: fromHere(process.cwd(), file) };
}

/** 'nLayer=4', 'n_layer=4' or 'causal=false' as a field of a spec. @throws FileError */
export function readAssignment(text: string): ModelSpec {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (!name) throw new FileError((file) => file.assignment(text));
  return { [toCamelCase(name)]: fieldValue(value!) };
}

function fieldValue(text: string): boolean | number | string {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** The records of a file's text. @throws FileError naming the file */
export function recordsIn(file: string, text: string): ExperimentRecord[] {
  try {
    return parseRecords(text);
  } catch (cause) {
    if (!(cause instanceof NormscopeError)) throw cause;
    throw new FileError((words) => words.notRecords(file, cause.message), { cause });
  }
}

/** A file that `run --save` wrote. @throws FileError */
export function readSnapshot(file: string): Snapshot {
  const { tensors, ...rest } = parseJson(readText(file), file) as unknown as Snapshot;
  if (!isObject(tensors)) throw new FileError((words) => words.noSnapshot(file));
  return {
    ...rest,
    tensors: Object.fromEntries(
      Object.entries(tensors).map(([name, values]) => [name, Float32Array.from(values as ArrayLike<number>)]),
    ),
  };
}
