// What the build needs from the operating system: found where it is, else installed by apt or Homebrew.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { capture, Explained, isAtLeast, parseVersion, runShowing, which } from './shell.mjs';

const version = (command, ...args) => parseVersion(capture(command, args.length ? args : ['--version']));

function hasCompiler() {
  return isAtLeast(version('g++', '-dumpfullversion'), [10, 0, 0]) || isAtLeast(version('clang++'), [12, 0, 0]);
}

function hasHeader(path) {
  return ['/usr/include', '/usr/local/include', '/opt/homebrew/include'].some((root) => existsSync(join(root, path)));
}

const MAC_BROWSERS = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

/** The Chromium for browser tests: $CHROMIUM_PATH, else the one of the system; null when there is none. */
export function findChromium() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
  return names.map(which).find(Boolean) ?? MAC_BROWSERS.find(existsSync) ?? null;
}

/** The Vulkan driver file of the software GPU that lies beside Chromium: gives Dawn in Node an adapter without a GPU. */
export function findSwiftShader(chromium) {
  if (process.env.SWIFTSHADER_ICD) return process.env.SWIFTSHADER_ICD;
  const folders = ['/usr/lib/chromium', '/usr/lib/chromium-browser', '/opt/google/chrome'];
  if (chromium && existsSync(chromium)) folders.unshift(dirname(realpathSync(chromium)));
  return folders.map((folder) => join(folder, 'vk_swiftshader_icd.json')).find(existsSync) ?? null;
}

/** Dawn (WebGPU in Node) loads the system's Vulkan loader; other systems than Linux have their own graphics interface. */
function hasVulkanLoader() {
  return process.platform !== 'linux' || /libvulkan\.so\.1\b/.test(capture('/sbin/ldconfig', ['-p']) ?? '');
}

/** Everything wanted: what it is for, how to see that it is there, and its names in the two package managers. */
const NEEDS = [
  {
    name: 'CMake ≥ 3.21',
    test: false,
    found: () => isAtLeast(version('cmake'), [3, 21, 0]),
    apt: 'cmake',
    brew: 'cmake',
  },
  { name: 'Ninja', test: false, found: () => which('ninja'), apt: 'ninja-build', brew: 'ninja' },
  {
    name: 'Python 3 (Emscripten runs on it)',
    test: false,
    found: () => which('python3'),
    apt: 'python3',
    brew: 'python',
  },
  { name: 'Eigen', test: false, found: () => hasHeader('eigen3/Eigen/Core'), apt: 'libeigen3-dev', brew: 'eigen' },
  { name: 'a C++20 compiler', test: true, found: hasCompiler, apt: 'g++', brew: 'llvm' },
  { name: 'GoogleTest', test: true, found: () => hasHeader('gtest/gtest.h'), apt: 'libgtest-dev', brew: 'googletest' },
  { name: 'Chromium (browser tests)', test: true, found: findChromium, apt: 'chromium', brew: 'google-chrome' },
  {
    name: 'Vulkan loader (WebGPU tests in Node)',
    test: true,
    found: hasVulkanLoader,
    apt: 'libvulkan1',
    brew: 'vulkan-loader',
  },
];

/** Installs what is missing (and `aptPackages` where apt is), or explains the exact commands. */
export async function ensureSystem({ test, aptPackages }) {
  const missing = NEEDS.filter((need) => (test || !need.test) && !need.found());
  const packages = [...missing.map((need) => need.apt), ...aptPackages];
  if (missing.length + aptPackages.length === 0) return;
  console.log(`Missing: ${[...missing.map((need) => need.name), ...aptPackages].join(', ')}.`);
  if (which('apt-get')) await aptInstall(packages);
  else if (which('brew')) await runShowing('Homebrew', 'brew', ['install', ...missing.map((need) => need.brew)]);
  else throw new Explained(`Please install: ${missing.map((need) => need.name).join(', ')}; then start again.`);
  const still = missing.filter((need) => !need.found());
  if (still.length)
    throw new Explained(`Installed, but still not found: ${still.map((need) => need.name).join(', ')}.`);
}

/** ['sudo'] or [] in front of a command that needs rights; null when there is no way to get them. */
function privilege() {
  if (process.getuid?.() === 0) return [];
  if (!which('sudo')) return null;
  // Without a terminal sudo could not ask for a password and would hang or fail half-way.
  return process.stdin.isTTY || capture('sudo', ['-n', 'true']) !== null ? ['sudo'] : null;
}

export async function aptInstall(packages) {
  const prefix = privilege();
  const commands = `sudo apt-get update\n  sudo apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (!prefix)
    throw new Explained(`No right to install packages here. Please run:\n\n  ${commands}\n\nand start again.`);
  if (prefix.length) console.log(`Using sudo for:\n  ${commands}`);
  // Finishes what an interrupted run may have left half-installed; does nothing otherwise.
  await runShowing('Checking installed packages', ...program([...prefix, 'dpkg', '--configure', '-a']));
  await apt('Package lists', [...prefix, 'apt-get', 'update']);
  const install = ['install', '-y', '--no-install-recommends', ...packages];
  await apt(`Installing ${packages.join(', ')}`, [
    ...prefix,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    ...install,
  ]);
}

const program = ([command, ...args]) => [command, args];

/** Runs an apt-get command line, showing apt's own percentage; waits up to five minutes for another apt. */
export async function apt(title, [command, ...args], options = {}) {
  const status = ['-o', 'APT::Status-Fd=1', '-o', 'DPkg::Lock::Timeout=300', '-q'];
  await runShowing(title, command, [...args, ...status], { progress: aptProgress, ...options });
}

function aptProgress(line) {
  const match = /^(dl|pm)status:[^:]*:([\d.]+):(.*)$/.exec(line);
  return match && `${Math.round(Number(match[2]))} % ${match[1] === 'dl' ? 'downloaded' : match[3]}`;
}

/** The fields of /etc/os-release that matter here. */
export function distribution() {
  if (!existsSync('/etc/os-release')) return { id: process.platform, version: '' };
  const text = readFileSync('/etc/os-release', 'utf8');
  const field = (name) => new RegExp(`^${name}="?([^"\\n]*)`, 'm').exec(text)?.[1] ?? '';
  return { id: field('ID'), version: field('VERSION_ID'), codename: field('VERSION_CODENAME') };
}
