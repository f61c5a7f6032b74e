// Sets up everything the build needs. Silent and instant when all is there.
//   node wasm/toolchain/setup.mjs [--test] [--print]
//     --test   also what only tests need: compiler, GoogleTest, Chromium, the test oracles
//     --print  shell lines that put the toolchain into an environment: eval "$(node wasm/toolchain/setup.mjs --print)"
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Explained, isAtLeast, isMain, main, parseVersion, root, runShowing } from './shell.mjs';
import { cacheFolder, ensureEmscripten, missingAptPackages } from './setup-emscripten.mjs';
import { ensureSystem, findChromium, findSwiftShader } from './setup-system.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const stampFile = join(root, 'build/toolchain.json');
const NODE_WANTED = [20, 19, 0];

/**
 * Brings everything the build (and, with `test`, the tests) needs and returns where it is:
 * { emscripten: { root, config?, version }, chromium, swiftShader }.
 */
export async function setup({ test = false } = {}) {
  const ready = readStamp({ test });
  if (ready) return ready;
  if (!isAtLeast(parseVersion(process.version), NODE_WANTED)) {
    throw new Explained(`Node ${NODE_WANTED.slice(0, 2).join('.')} or newer is needed; this is ${process.version}.`);
  }
  const unlock = await lock();
  try {
    return await install({ test });
  } finally {
    unlock();
  }
}

async function install({ test }) {
  await ensureNodePackages(root, 'npm packages');
  if (test) await ensureNodePackages(join(root, 'tests'), 'npm packages of the tests');
  await ensureSystem({ test, aptPackages: missingAptPackages() });
  const emscripten = await ensureEmscripten({ acorn: join(root, 'node_modules/acorn') });
  const chromium = findChromium();
  const tools = { emscripten, chromium, swiftShader: findSwiftShader(chromium) };
  writeStamp(tools, { test });
  return tools;
}

/** `npm ci` unless the folder's packages are those of its lock file. */
export async function ensureNodePackages(folder, title) {
  if (
    !existsSync(join(folder, 'package.json')) ||
    installedLock(folder) === fileHash(join(folder, 'package-lock.json'))
  )
    return;
  await runShowing(
    `Installing ${title}`,
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    ['ci', '--no-audit', '--no-fund'],
    { cwd: folder },
  );
  writeFileSync(lockStamp(folder), fileHash(join(folder, 'package-lock.json')));
}

// Inside node_modules, so that it vanishes with it: an interrupted `npm ci` leaves no stamp.
const lockStamp = (folder) => join(folder, 'node_modules/.normscope-lock');
const installedLock = (folder) => (existsSync(lockStamp(folder)) ? readFileSync(lockStamp(folder), 'utf8') : null);
const fileHash = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Changes whenever the set-up itself changes. */
function recipe() {
  const files = ['setup.mjs', 'setup-system.mjs', 'setup-emscripten.mjs'].map((name) => fileHash(join(here, name)));
  return createHash('sha256').update(files.join()).digest('hex');
}

function readStamp({ test }) {
  if (!existsSync(stampFile)) return null;
  const { tools, ...stamp } = JSON.parse(readFileSync(stampFile, 'utf8'));
  const folders = test ? [root, join(root, 'tests')] : [root];
  const fresh =
    stamp.recipe === recipe() &&
    (stamp.test || !test) &&
    existsSync(join(tools.emscripten.root, 'emcc')) &&
    (!test || existsSync(tools.chromium)) &&
    folders.every(
      (folder) =>
        !existsSync(join(folder, 'package.json')) ||
        installedLock(folder) === fileHash(join(folder, 'package-lock.json')),
    );
  return fresh ? tools : null;
}

function writeStamp(tools, { test }) {
  mkdirSync(dirname(stampFile), { recursive: true });
  const before = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {};
  const stamp = { recipe: recipe(), test: test || (before.test === true && before.recipe === recipe()), tools };
  writeFileSync(stampFile, `${JSON.stringify(stamp, null, 2)}\n`);
}

/** One set-up at a time for each user; a lock whose owner is gone is taken over. Returns the function that unlocks. */
async function lock() {
  const folder = join(cacheFolder(), 'setup.lock');
  mkdirSync(cacheFolder(), { recursive: true });
  for (let waited = 0; ; waited++) {
    try {
      mkdirSync(folder);
      writeFileSync(join(folder, 'pid'), String(process.pid));
      break;
    } catch {
      if (isAbandoned(folder)) rmSync(folder, { recursive: true, force: true });
      else if (waited % 15 === 0) console.log('Another set-up is running: waiting for it …');
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
  const unlock = () => rmSync(folder, { recursive: true, force: true });
  process.once('SIGINT', () => {
    unlock();
    process.exit(130);
  });
  process.once('SIGTERM', () => {
    unlock();
    process.exit(143);
  });
  return unlock;
}

function isAbandoned(folder) {
  const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (!existsSync(join(folder, 'pid'))) return age > 5000;
  try {
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Environment variables for programs that build or test. */
export function toolEnvironment({ emscripten, chromium, swiftShader }) {
  return {
    PATH: [emscripten.root, join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
    EMSCRIPTEN_ROOT: emscripten.root,
    ...(emscripten.config && { EM_CONFIG: emscripten.config }),
    ...(chromium && { CHROMIUM_PATH: chromium }),
    ...(swiftShader && { SWIFTSHADER_ICD: swiftShader }),
  };
}

/** What a set-up left behind, without installing anything; {} before the first one. For configuration files. */
export function knownTools() {
  if (!existsSync(stampFile)) return {};
  return JSON.parse(readFileSync(stampFile, 'utf8')).tools;
}

if (isMain(import.meta.url)) {
  const print = process.argv.includes('--print');
  if (print) console.log = console.error;
  await main(async () => {
    const tools = await setup({ test: process.argv.includes('--test') });
    if (!print) return;
    for (const [name, value] of Object.entries(toolEnvironment(tools)))
      process.stdout.write(`export ${name}='${value}'\n`);
  });
}
