// Reads wasm/kernels: what the header of each .wgsl says about when it is meant, how many workgroups cover a dispatch, and
// what it binds. wasm/kernels/README.md explains the header.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Explained, root } from './shell.mjs';

const folder = join(root, 'wasm/kernels');
const KEYS = ['tile', 'groups', 'variants', 'variant', 'binds', 'vec4', 'scratch', 'then', 'uses', 'batch'];

/**
 * { prelude, parts: { name: text }, passes: { stem: … }, order: { kernel: [{ name, stem, when, constants }] } }
 * A part is a fragment that others use; a pass is one .wgsl file; the order lists a kernel's shaders, first choice first.
 * @returns {{ prelude: string, parts: Record<string, string>, passes: Record<string, any>, order: Record<string, any[]> }}
 */
export function readShaders(kernels, from = folder) {
  const texts = readTexts(from);
  const prelude = texts.prelude ?? '';
  delete texts.prelude;
  const parts = {};
  const passes = {};
  for (const [stem, text] of Object.entries(texts)) {
    if (stem.endsWith('.part')) parts[stem.slice(0, -'.part'.length)] = text;
    else passes[stem] = readPass(kernels, stem, text, from);
  }
  checkReferences(passes, parts, from);
  const order = {};
  for (const kernel of Object.keys(kernels)) if (kernel in passes) order[kernel] = orderOf(kernel, passes, from);
  checkAllUsed(passes, order, from);
  return { prelude, parts, passes, order };
}

/** Every section of every file by its stem; those of the folder `parts` are parts. */
function readTexts(from) {
  const list = (folder) =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.endsWith('.wgsl'))
          .sort()
      : [];
  const sections = (folder, end) =>
    list(folder).flatMap((file) => splitSections(readFileSync(join(folder, file), 'utf8'), file.slice(0, -5) + end));
  return Object.fromEntries([...sections(from, ''), ...sections(join(from, 'parts'), '.part')]);
}

/** [stem, text] of a file's own beginning and of each section after a line "// ---- stem ----". */
function splitSections(text, stem) {
  const [own, ...rest] = text.split(/^\/\/ ---- ([\w.]+) ----\n/m);
  return [[stem, own], ...rest.flatMap((name, i) => (i % 2 === 0 ? [[name, rest[i + 1]]] : []))];
}

const refuse = (from, stem, problem) => {
  throw new Explained(`${relative(root, join(from, stem))}.wgsl: ${problem}`);
};

function readPass(kernels, stem, text, from) {
  const kernel = stem.split('.')[0];
  const contract = kernels[kernel];
  const wrong = (problem) => refuse(from, stem, problem);
  if (!contract) wrong(`kernels.def has no kernel ${kernel}`);
  const header = readHeader(text, wrong);
  const names = (key) => header[key]?.flatMap((line) => line.split(/\s+/)) ?? null;
  const compile = (expression) => compileExpression(expression, contract, wrong);
  const bindable = [...contract.operands, 'scratch', 'arena', 'items'];
  const usual = header.batch ? ['arena', 'items'] : contract.operands;
  const binds = names('binds') ?? [...usual, ...(header.scratch ? ['scratch'] : [])];
  for (const name of [...binds, ...(names('vec4') ?? [])])
    if (!bindable.includes(name)) wrong(`${kernel} has no operand ${name}; it has ${contract.operands.join(', ')}`);
  return {
    kernel,
    source: text,
    variants: names('variants') ?? [],
    choices: (header.variant ?? []).map((line) => readChoice(line, compile, wrong)),
    binds,
    vec4: names('vec4') ?? [],
    uses: names('uses') ?? [],
    then: header.then?.[0] ?? null,
    groups: header.tile ? tileGroups(header.tile[0], wrong) : compile((header.batch ?? header.groups)[0]),
    isBatch: Boolean(header.batch),
    scratch: header.scratch ? compile(header.scratch[0]) : null,
  };
}

/** The lines "// key: value" at the start of a file, by key. */
function readHeader(text, wrong) {
  const header = {};
  for (const line of text.split('\n')) {
    const [, key, value] = /^\/\/ (\w+): (.+)$/.exec(line) ?? [];
    if (!KEYS.includes(key)) break;
    (header[key] ??= []).push(value.trim());
  }
  if (['tile', 'groups', 'batch'].filter((key) => header[key]).length !== 1)
    wrong('the header needs one line "// tile: rows N|all, cols N|all", "// groups: …" or "// batch: …"');
  return header;
}

function tileGroups(line, wrong) {
  const [, rows, cols] =
    /^rows (\d+|all), cols (\d+|all)$/.exec(line ?? '') ?? wrong(`"tile: ${line}" is not rows N|all, cols N|all`);
  const along = (extent, step) => (step === 'all' ? '1' : `Math.ceil(s.${extent} / ${step})`);
  return `${along('rows', rows)} * ${along('cols', cols)}`;
}

/** "cols <= 256; n_lane 64, n_reg 4" -> the condition and the constants that it sets. */
function readChoice(line, compile, wrong) {
  const [condition, constants = ''] = line.split(';').map((part) => part.trim());
  const pairs = constants
    .split(',')
    .filter(Boolean)
    .map((pair) => pair.trim().split(/\s+/));
  for (const [name, value] of pairs)
    if (!/^\w+$/.test(name) || !/^\d+$/.test(value)) wrong(`"${line}": constants are "name value"`);
  return {
    when: condition ? compile(condition) : null,
    constants: Object.fromEntries(pairs.map(([n, v]) => [n, Number(v)])),
  };
}

const FUNCTIONS = ['ceil', 'floor', 'min', 'max'];
const SHAPE = ['rows', 'cols', 'models', 'software', 'subgroups', 'items', 'groups'];

/** An expression of parameters as JavaScript over an object `s`. */
function compileExpression(text, contract, wrong) {
  if (!/^[\w\s()+\-*/%<>=!&|,.]*$/.test(text)) wrong(`"${text}" is not arithmetic`);
  const known = [...contract.params.map(({ name }) => name), ...SHAPE];
  const code = text.replace(/[A-Za-z_]\w*/g, (name) => {
    if (FUNCTIONS.includes(name)) return `Math.${name}`;
    if (known.includes(name)) return `s.${name}`;
    return wrong(`"${text}" names ${name}; known are ${known.join(', ')}`);
  });
  return code.replace(/([^<>=!])==(?!=)/g, '$1===').replace(/!=(?!=)/g, '!==');
}

function checkReferences(passes, parts, from) {
  for (const [stem, { variants, then, uses, kernel, source }] of Object.entries(passes)) {
    for (const part of uses) if (!(part in parts)) refuse(from, stem, `there is no part ${part}`);
    for (const next of [...variants.map((variant) => `${kernel}.${variant}`), ...(then ? [then] : [])])
      if (!(next in passes)) refuse(from, stem, `there is no ${next}.wgsl`);
    if (passes[then] && passes[then].kernel !== kernel) refuse(from, stem, `${then} belongs to another kernel`);
    const text = [...uses.map((part) => parts[part]), source].join('\n');
    const entries = [...text.matchAll(/@compute\s*@workgroup_size\([^)]*\)\s*fn\s+(\w+)/g)].map((match) => match[1]);
    if (entries.join() !== kernel)
      refuse(from, stem, `one entry point named ${kernel} is expected, not "${entries.join()}"`);
  }
}

/** A kernel's shaders, first choice first; the kernel's own file comes last and is always possible. */
function orderOf(kernel, passes, from) {
  const shaders = (stem) => {
    const { choices } = passes[stem];
    if (choices.length === 0) refuse(from, stem, 'a variant needs a line "// variant: condition; constants"');
    return choices.map((choice, i) => ({ name: choices.length > 1 ? `${stem}#${i}` : stem, stem, ...choice }));
  };
  const own = { name: kernel, stem: kernel, when: null, constants: {} };
  return [...passes[kernel].variants.flatMap((variant) => shaders(`${kernel}.${variant}`)), own];
}

function checkAllUsed(passes, order, from) {
  const batches = Object.keys(passes).filter((stem) => passes[stem].isBatch);
  const used = new Set([...batches, ...Object.values(order).flatMap((list) => list.map(({ stem }) => stem))]);
  for (const stem of used) if (passes[stem].then) used.add(passes[stem].then);
  for (const stem of Object.keys(passes))
    if (!used.has(stem)) refuse(from, stem, 'nothing names this file: no "variants" and no "then"');
}

/** Without comments, indentation and empty lines: what the package carries. */
export const stripped = (text) =>
  text
    .replace(/\/\/.*$/gm, '')
    .replace(/^\s+/gm, '')
    .replace(/[ \t]+$/gm, '');

/** The table as TypeScript. */
export function shadersModule(kernels) {
  const { prelude, parts, passes, order } = readShaders(kernels);
  const json = (value) => JSON.stringify(value);
  const strippedParts = Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, stripped(text)]));
  const arrow = (code) => (code ? `(s) => ${code}` : 'null');
  const passText = Object.entries(passes).map(
    ([stem, { kernel, binds, vec4, uses, then, groups, scratch, source, isBatch }]) =>
      `  ${json(stem)}: { name: ${json(stem)}, kernel: ${json(kernel)}, binds: ${json(binds)}, vec4: ${json(vec4)}, uses: ${json(uses)}, ` +
      `then: ${json(then)}, isBatch: ${isBatch}, groups: ${arrow(groups)}, scratch: ${arrow(scratch)}, source: ${json(stripped(source))} },`,
  );
  const orderText = Object.entries(order).map(
    ([kernel, list]) =>
      `  ${kernel}: [${list.map(({ name, stem, when, constants }) => `{ name: ${json(name)}, pass: ${json(stem)}, when: ${arrow(when && `Boolean(${when})`)}, constants: ${json(constants)} }`).join(', ')}],`,
  );
  return `
/** What a dispatch asks for: its parameters, rows, cols and models, and what the device is (1 or 0). */
export type Shape = Readonly<Record<string, any>>;

/** One .wgsl file. */
export interface Pass {
  readonly name: string;
  readonly kernel: string;
  /** Operands in binding order, from binding 1 on; 'scratch' is the executor's own buffer. */
  readonly binds: readonly string[];
  readonly vec4: readonly string[];
  readonly uses: readonly string[];
  readonly then: string | null;
  /** Takes several dispatches of its kernel at once; the groups are then those of one of them. */
  readonly isBatch: boolean;
  /** Workgroups of one model. */
  readonly groups: (s: Shape) => number;
  /** Floats of one model. */
  readonly scratch: ((s: Shape) => number) | null;
  readonly source: string;
}
export interface Shader {
  readonly name: string;
  readonly pass: string;
  readonly when: ((s: Shape) => boolean) | null;
  readonly constants: Readonly<Record<string, number>>;
}

export const PRELUDE = ${json(stripped(prelude))};
export const PARTS: Readonly<Record<string, string>> = ${json(strippedParts)};
export const PASSES: Readonly<Record<string, Pass>> = {
${passText.join('\n')}
};
/** The shaders of each kernel, first choice first. */
export const SHADERS: Readonly<Record<string, readonly Shader[]>> = {
${orderText.join('\n')}
};
`;
}
