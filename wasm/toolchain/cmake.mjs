// Configures and builds a CMake preset under one progress line.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from './stamps.mjs';
import { root, runShowing } from './shell.mjs';
import { toolEnvironment } from './setup.mjs';

/** The modules of the C++ core: exact, relaxed SIMD, no SIMD, analysis in double. */
export const CORES = ['core', 'core-fast', 'core-scalar', 'core-analysis'];

export async function buildPreset(preset, title, tools) {
  const folder = join(root, 'build/cmake', preset);
  const options = { cwd: root, env: { ...process.env, ...toolEnvironment(tools) } };
  // A build tree is bound to its compiler and its presets: with other ones it starts anew.
  const origin = `${preset.startsWith('wasm') ? JSON.stringify(tools.emscripten) : ''} ${contentHash(['CMakePresets.json'])}`;
  const stamp = join(folder, 'normscope-origin');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== origin) {
    rmSync(folder, { recursive: true, force: true });
    await runShowing(`Configuring ${title}`, 'cmake', ['--preset', preset], options);
    mkdirSync(folder, { recursive: true });
    writeFileSync(stamp, origin);
  }
  await runShowing(`Compiling ${title}`, 'cmake', ['--build', '--preset', preset], {
    ...options,
    progress: ninjaProgress,
  });
}

function ninjaProgress(line) {
  const match = /^\[(\d+)\/(\d+)\]/.exec(line);
  return match && `${match[1]} of ${match[2]}`;
}
