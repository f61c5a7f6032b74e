// Writes build/generated/{kernels,placements}.ts from the C++ tables and the WGSL files: one list, read twice.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Scanner } from './scanner.mjs';
import { shadersModule } from './shaders.mjs';
import { isMain, main, root } from './shell.mjs';

const kernelsFile = join(root, 'cpp/plan/kernels.def');
const paramsFile = join(root, 'cpp/plan/kernel_params.h');
const placementsFile = join(root, 'cpp/model/placements.def');
const MAX_OPERANDS = 8; // storage buffers per stage that every WebGPU device has

const SCALARS = { uint32_t: 'u32', int32_t: 'i32', float: 'f32' };

/** { structs: { LinearParams: [{ name, type }] }, enums: { Activation: ['relu', …] } } */
export function readParams(path = paramsFile) {
  const scan = new Scanner(path, root);
  const structs = {};
  const enums = {};
  while (!scan.atEnd) {
    if (
      scan.accept(/#(?:pragma once|include <\w+>)/) ||
      scan.accept(/namespace normscope \{/) ||
      scan.accept(/\}(?!;)/)
    )
      continue;
    const [struct] = scan.accept(/struct (\w+) \{/) ?? [];
    if (struct) {
      structs[struct] = readFields(scan);
      continue;
    }
    const [name, body] = scan.expect(
      /enum class (\w+) : uint32_t \{([^{}=]*)\};/,
      'a struct of scalars or a plain enum class : uint32_t',
    );
    enums[name] = body
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean);
  }
  return { structs, enums };
}

function readFields(scan) {
  const fields = [];
  while (!scan.accept(/\};/)) {
    const [type, name] = scan.expect(/(\w+) (\w+)(?: = [^;{}]+)?;/, 'a field like "uint32_t n;"');
    if (!(type in SCALARS))
      scan.refuse(`a parameter is one of ${Object.keys(SCALARS).join(', ')}, not ${type}`, scan.last);
    fields.push({ name, type: SCALARS[type] });
  }
  return fields;
}

/** { layernorm_forward: { operands, nOutput, params } } in the order of the table. */
export function readKernels(structs, path = kernelsFile) {
  const scan = new Scanner(path, root);
  const kernels = {};
  while (!scan.atEnd) {
    const [name, struct, names, count] = scan.expect(
      /KERNEL\(\s*(\w+)\s*,\s*(\w+)\s*,\s*"([^"]*)"\s*,\s*(\d+)\s*\)/,
      'KERNEL(name, Params, "operands", n_output)',
    );
    const refuse = (problem) => scan.refuse(problem, scan.last);
    const operands = names.split(' ').filter(Boolean);
    const nOutput = Number(count);
    if (name in kernels) refuse(`kernel ${name} is there twice`);
    if (!(struct in structs)) refuse(`kernel_params.h has no struct ${struct}`);
    if (operands.length > MAX_OPERANDS)
      refuse(`${name} has ${operands.length} operands; WebGPU promises ${MAX_OPERANDS}`);
    if (new Set(operands).size !== operands.length) refuse(`${name} names an operand twice`);
    if (nOutput < 1 || nOutput > operands.length) refuse(`${name} writes ${nOutput} of ${operands.length} operands`);
    kernels[name] = { operands, nOutput, params: structs[struct] };
  }
  return kernels;
}

const FLAGS = ['residual', 'normInput', 'normOutput', 'normStream', 'normEmbedding', 'normFinal'];

/** [{ name, equation, source, users, residual, normInput, …, wiring }] in the order of the table. */
export function readPlacements(path = placementsFile) {
  const scan = new Scanner(path, root);
  scan.expect(/NEUTRAL\(/, 'NEUTRAL("fields") before the rows');
  const neutral = readPairs(scan);
  const placements = [];
  while (!scan.atEnd) {
    scan.expect(/PLACEMENT\(/, 'PLACEMENT("name", "equation", "source", "users", "fields")');
    const [name, equation, source, users] = Array.from({ length: 4 }, () => readString(scan, /,/, 'a comma'));
    const fields = readPairs(scan);
    const refuse = (problem) => scan.refuse(problem, scan.last);
    for (const field of Object.keys(fields)) if (!(field in neutral)) refuse(`NEUTRAL does not name ${field}`);
    if (placements.some((row) => row.name === name)) refuse(`placement ${name} is there twice`);
    const wiring = { ...neutral, ...fields };
    const flags = Object.fromEntries(FLAGS.map((flag) => [flag, wiring[flag]]));
    placements.push({ name, equation, source, users, ...flags, wiring });
  }
  return placements;
}

/** "norm_input true alpha 1" and the closing parenthesis -> { normInput: true, alpha: 1 } */
function readPairs(scan) {
  const words = readString(scan, /\)/, 'a closing parenthesis').split(' ').filter(Boolean);
  if (words.length % 2 !== 0) scan.refuse('fields are "key value" pairs', scan.last);
  const pairs = {};
  for (let i = 0; i < words.length; i += 2) pairs[camelCase(words[i])] = fieldValue(words[i + 1]);
  return pairs;
}

const camelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

function fieldValue(word) {
  if (word === 'true' || word === 'false') return word === 'true';
  return Number.isNaN(Number(word)) ? word : Number(word);
}

/** A C string, possibly in several adjacent pieces, and what stands after it. */
function readString(scan, end, expected) {
  let text = '';
  do {
    const [piece] = scan.expect(/"((?:[^"\\\n]|\\.)*)"/, 'a string in double quotes');
    text += JSON.parse(`"${piece}"`);
  } while (scan.text[scan.position] === '"');
  scan.expect(end, expected);
  return text;
}

const HEADER = '// Generated by wasm/toolchain/generate.mjs; changes here are lost.\n';

function kernelsModule() {
  const { structs, enums } = readParams();
  const kernels = readKernels(structs);
  const json = (value) => JSON.stringify(value, null, 2);
  return `${HEADER}
export interface KernelContract {
  /** Names in binding order. */
  readonly operands: readonly string[];
  /** The last nOutput operands are written. */
  readonly nOutput: number;
  /** 4-byte scalars in the order of the uniform. */
  readonly params: readonly { readonly name: string; readonly type: 'u32' | 'i32' | 'f32' }[];
}

export const KERNELS: Readonly<Record<string, KernelContract>> = ${json(kernels)};

/** Enumerators in the order of their values. */
export const ENUMS: Readonly<Record<string, readonly string[]>> = ${json(enums)};
${shadersModule(kernels)}`;
}

function placementsModule() {
  return `${HEADER}
import type { Placement } from '../../wasm/runtime/types.js';

export const PLACEMENTS: readonly Placement[] = ${JSON.stringify(readPlacements(), null, 2)};
`;
}

/** Leaves a file alone that already says this, so that nothing downstream is rebuilt. */
export function writeIfChanged(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export function generate() {
  writeIfChanged(join(root, 'build/generated/kernels.ts'), kernelsModule());
  writeIfChanged(join(root, 'build/generated/placements.ts'), placementsModule());
}

if (isMain(import.meta.url)) await main(generate);
