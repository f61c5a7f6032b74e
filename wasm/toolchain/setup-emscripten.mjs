// Finds or brings Emscripten ≥ 3.1.69. Debian 12 has a too old one: there the next release's goes beside the system.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { capture, Explained, isAtLeast, parseVersion, run, runShowing, which } from './shell.mjs';
import { apt, distribution } from './setup-system.mjs';

const WANTED = [3, 1, 69];
const LLVM = { packages: ['clang-19', 'lld-19', 'llvm-19'], bin: '/usr/lib/llvm-19/bin' };
const LAYOUT = 'r1'; // raised when the layout of the cache folder changes

/** Libraries of builds that this project never makes (threads, LTO, dynamic linking, sanitizers): 1.5 of 1.6 GB. */
const UNUSED = [
  '*/wasm32-emscripten/lto*',
  '*/wasm32-emscripten/pic*',
  '*/wasm64-emscripten',
  './usr/share/emscripten/test',
  './usr/share/doc',
  '*-mt*.a',
  '*-ww*.a',
  '*asan*',
  '*lsan*',
  '*ubsan*',
  '*sanitizer*',
];

/** { root, config?, version } of a good Emscripten, installing one where that is possible. `acorn`: folder of that npm package. */
export async function ensureEmscripten({ acorn }) {
  return findInstalled() ?? findCached() ?? (await install({ acorn }));
}

function findInstalled() {
  const candidates = [process.env.EMSDK && join(process.env.EMSDK, 'upstream/emscripten/emcc'), which('emcc')];
  for (const emcc of candidates) {
    const version = emcc && parseVersion(capture(emcc, ['--version']));
    if (!isAtLeast(version, WANTED)) continue;
    const root = capture(emcc.replace(/emcc$/, 'em-config'), ['EMSCRIPTEN_ROOT'])?.trim() ?? dirname(emcc);
    return { root, version: version.join('.'), ...(process.env.EM_CONFIG && { config: process.env.EM_CONFIG }) };
  }
  return null;
}

export function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'normscope');
}

function findCached() {
  const cache = cacheFolder();
  if (!existsSync(cache) || !hasLlvm()) return null;
  const name = readdirSync(cache).filter(
    (entry) => /^emscripten-[\d.]+-r\d+$/.test(entry) && entry.endsWith(`-${LAYOUT}`),
  );
  return name.length ? describe(join(cache, name.sort().at(-1))) : null;
}

function describe(folder) {
  const root = join(folder, 'usr/share/emscripten');
  const version = parseVersion(readFileSync(join(root, 'emscripten-version.txt'), 'utf8')).join('.');
  return { root, config: join(folder, 'emscripten.config'), version };
}

/** True where the newer package can be unpacked beside the system. */
function isDebian12() {
  const { id, version } = distribution();
  return which('apt-get') && id === 'debian' && version === '12';
}

/** The apt packages that a good Emscripten still needs here, so that all packages are installed in one go. */
export function missingAptPackages() {
  if (!which('apt-get') || findInstalled() || findCached()) return [];
  const candidate = /Candidate: (\S+)/.exec(capture('apt-cache', ['policy', 'emscripten']) ?? '')?.[1];
  if (isAtLeast(parseVersion(candidate), WANTED)) return ['emscripten'];
  return isDebian12() && !hasLlvm() ? LLVM.packages : [];
}

const hasLlvm = () => ['clang', 'wasm-ld', 'llvm-ar'].every((name) => existsSync(join(LLVM.bin, name)));

async function install({ acorn }) {
  if (isDebian12() && hasLlvm()) return installBeside({ acorn });
  if (process.platform === 'darwin' && which('brew')) {
    await run('brew', ['install', 'emscripten']);
    return findInstalled() ?? refuse();
  }
  return refuse();
}

function refuse() {
  throw new Explained(`This project needs Emscripten ${WANTED.join('.')} or newer (a C++ to WebAssembly compiler) and cannot install it on this system.
Please install it from the official SDK (search the web for "emsdk", the repository emscripten-core/emsdk on GitHub); in its folder:

  ./emsdk install latest
  ./emsdk activate latest
  source ./emsdk_env.sh

and start again in the same terminal.`);
}

/** The newer package unpacked into the cache; clang from this machine's own suites; nothing of the system is replaced. */
async function installBeside({ acorn }) {
  const temporary = join(cacheFolder(), `emscripten-unfinished-${process.pid}`);
  removeUnfinished();
  mkdirSync(temporary, { recursive: true });
  try {
    const debs = await download(join(temporary, 'download'));
    await unpack(debs, temporary);
    writeConfig(temporary, acorn);
    rmSync(join(temporary, 'download'), { recursive: true });
    const { version } = describe(temporary);
    const folder = join(cacheFolder(), `emscripten-${version}-${LAYOUT}`);
    renameSync(temporary, folder);
    return describe(folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Leftovers of interrupted runs; the setup lock is held, so nobody is working in them. */
function removeUnfinished() {
  if (!existsSync(cacheFolder())) return;
  for (const entry of readdirSync(cacheFolder())) {
    if (entry.startsWith('emscripten-unfinished-'))
      rmSync(join(cacheFolder(), entry), { recursive: true, force: true });
  }
}

/** Fetches the packages through apt with lists and caches of its own, from the archive that this machine already uses. */
async function download(folder) {
  for (const part of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(folder, part), { recursive: true });
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(join(folder, 'sources.list'), `deb [signed-by=${keyring}] ${archiveAddress()} trixie main\n`);
  const options = [
    ['Dir::Etc::sourcelist', join(folder, 'sources.list')],
    ['Dir::Etc::sourceparts', '/dev/null'],
    ['Dir::State::lists', join(folder, 'lists')],
    ['Dir::Cache', join(folder, 'cache')],
    ['Acquire::Languages', 'none'],
    // apt's sandbox user could not write into a home folder.
    ...(process.getuid() === 0 ? [['APT::Sandbox::User', 'root']] : []),
  ].flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  await apt('Package lists for a newer Emscripten', ['apt-get', ...options, 'update']);
  const packages = ['emscripten', 'binaryen', 'libc6', 'libstdc++6', 'libgcc-s1'];
  await apt('Downloading Emscripten (about 250 MB)', ['apt-get', ...options, 'download', ...packages], { cwd: folder });
  return readdirSync(folder)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => join(folder, name));
}

/** The address from which this machine takes its own release: asked of apt, never written down. */
function archiveAddress() {
  const { codename } = distribution();
  const targets =
    capture('apt-get', ['indextargets', '--format', '$(REPO_URI) $(RELEASE)', 'Created-By: Packages']) ?? '';
  const target = targets
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, release]) => release === codename);
  if (!target)
    throw new Explained(
      `apt-get indextargets names no archive for ${codename}: are the apt sources of this machine set up?`,
    );
  return target[0];
}

async function unpack(debs, folder) {
  const exclude = UNUSED.map((pattern) => `--exclude='${pattern}'`).join(' ');
  // -m: files of the day; an archive's old dates would make every build think that its inputs are older than its stamps.
  const script = `set -e; for deb in "$@"; do dpkg --fsys-tarfile "$deb" | tar -xm -C "$FOLDER" ${exclude}; done`;
  const options = { env: { ...process.env, FOLDER: folder } };
  await runShowing('Unpacking Emscripten', 'bash', ['-o', 'pipefail', '-c', script, 'unpack', ...debs], options);
}

function writeConfig(folder, acorn) {
  // The config finds its own folder, so the cache may be moved.
  writeFileSync(
    join(folder, 'emscripten.config'),
    `import os, shutil
_here = os.path.dirname(os.path.abspath(os.environ['EM_CONFIG']))
LLVM_ROOT = '${LLVM.bin}'
BINARYEN_ROOT = _here + '/binaryen'
NODE_JS = shutil.which('node')
FROZEN_CACHE = True
`,
  );
  wrapBinaryen(folder);
  // Emscripten's JavaScript tools import acorn as a module, which only a node_modules beside them can serve.
  cpSync(acorn, join(folder, 'usr/share/emscripten/node_modules/acorn'), { recursive: true });
}

/** Binaryen is built for a newer C library: each program starts under the loader and libraries unpacked beside it. */
function wrapBinaryen(folder) {
  const files = readdirSync(folder, { recursive: true }).map(String);
  const loader = files.find((name) => /(^|\/)ld-linux[^/]*\.so\.\d+$/.test(name));
  const libraries = [
    ...new Set(files.filter((name) => /\.so\.\d+$/.test(name) || /libbinaryen[^/]*\.so$/.test(name)).map(dirname)),
  ];
  mkdirSync(join(folder, 'binaryen/bin'), { recursive: true });
  const path = libraries.map((name) => `$here/${name}`).join(':');
  for (const name of readdirSync(join(folder, 'usr/bin')).filter((entry) => entry.startsWith('wasm'))) {
    const script = `#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")/../..\nexec "$here/${loader}" --library-path "${path}" "$here/usr/bin/${name}" "$@"\n`;
    writeFileSync(join(folder, 'binaryen/bin', name), script, { mode: 0o755 });
  }
}
