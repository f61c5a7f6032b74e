// npm run lint: types, import boundaries, format; with --fix (npm run format) it formats instead.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { generateSources, buildCore } from './build.mjs';
import { Explained, isMain, main, root, run, which } from './shell.mjs';
import { setup } from './setup.mjs';

const program = (name) => join(root, 'node_modules', name);
const node = (...args) => run(process.execPath, args, { cwd: root });

/** C++ files of all rooms, from the root of the project. */
function cppFiles() {
  const list = (folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, String(name)));
  const ours = [
    ...list('cpp'),
    ...list('tests/cpp'),
    ...list('tests/cases'),
    'wasm/bindings.cpp',
    'wasm/analysis/bindings.cpp',
  ];
  return ours.filter((name) => /\.(cpp|h)$/.test(name)).map((name) => relative(root, join(root, name)));
}

/** The include paths of CMake keep rooms apart; a relative include would walk around them. */
export function checkIncludes() {
  for (const name of cppFiles()) {
    const lines = readFileSync(join(root, name), 'utf8').split('\n');
    const at = lines.findIndex((line) => /^\s*#\s*include\s+"\.\./.test(line));
    if (at >= 0) throw new Explained(`${name}:${at + 1}: include headers as "room/header.h", not by a relative path.`);
  }
}

export const checkTypes = () => node(program('typescript/bin/tsc'), '--noEmit');
export const checkImports = () => node(program('eslint/bin/eslint.js'), '.');

async function clangFormat(...args) {
  if (which('clang-format')) await run('clang-format', [...args, ...cppFiles()], { cwd: root });
  else console.log('clang-format is not installed: C++ files were not looked at.');
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const tools = await setup();
    if (process.argv.includes('--fix')) {
      await node(program('prettier/bin/prettier.cjs'), '--write', '--log-level', 'warn', '.');
      await clangFormat('-i');
      return;
    }
    await buildCore(tools);
    await generateSources();
    checkIncludes();
    await checkImports();
    await checkTypes();
    await node(program('prettier/bin/prettier.cjs'), '--check', '.');
    await clangFormat('--dry-run', '-Werror');
  });
}
