// Running other programs and telling the reader how far they are. Node only, no npm package: this runs before `npm ci`.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the whole project. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** A failure that is explained to the reader in full; its stack is of no interest. */
export class Explained extends Error {}

/** Absolute path of a program on PATH, or null. */
export function which(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // not here
    }
  }
  return null;
}

/** Standard output of a program, or null when it is missing or fails. */
export function capture(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], ...options });
  return result.status === 0 ? result.stdout : null;
}

/** The first `major.minor.patch` (or `major.minor`) of a text as numbers, or null. */
export function parseVersion(text) {
  const match = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text ?? '');
  return match && [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

export function isAtLeast(version, wanted) {
  if (!version) return false;
  const i = version.findIndex((part, k) => part !== wanted[k]);
  return i < 0 || version[i] > wanted[i];
}

/** Runs a program with its output shown; throws when it fails. */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
  const code = await exitCode(child);
  if (code !== 0) throw new Explained(`${command} ${args.join(' ')}\nended with ${code}.`);
}

/**
 * Runs a program quietly under one line that shows what it does and how far it is; on failure prints what it said.
 * `progress(line)` reads a line of output and returns "42 %: unpacking" or null.
 */
export async function runShowing(title, command, args, { progress = () => null, ...options } = {}) {
  const line = new StatusLine(title);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const said = [];
  const read = (chunk) => {
    for (const text of String(chunk).split(/[\r\n]+/)) {
      const state = text && progress(text);
      if (state) line.update(state);
      else if (text) said.push(text);
    }
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const code = await exitCode(child);
  line.end(code === 0);
  if (code !== 0)
    throw new Explained(`${said.slice(-100).join('\n')}\n\n${command} ${args.join(' ')}\nended with ${code}.`);
}

function exitCode(child) {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Explained(`${child.spawnfile} could not be started: ${error.message}`)));
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
}

/**
 * One line with a title, a state and the seconds so far: redrawn on a terminal, printed at most every 15 s elsewhere.
 * What is over at once leaves no trace.
 */
class StatusLine {
  constructor(title) {
    this.title = title;
    this.state = '';
    this.start = Date.now();
    this.terminal = process.stdout.isTTY;
    this.shown = false;
    this.timer = setTimeout(() => this.show(), 700);
  }

  update(state) {
    this.state = state;
  }

  show() {
    this.shown = true;
    if (!this.terminal) console.log(`${this.title} …`);
    this.timer = setInterval(() => this.draw(), this.terminal ? 200 : 15_000);
  }

  draw() {
    const text = `${this.title} … ${this.state} (${this.seconds()} s)`;
    if (this.terminal) process.stdout.write(`\r\x1b[2K${text.slice(0, (process.stdout.columns ?? 80) - 1)}`);
    else console.log(`  ${this.state || 'working'} (${this.seconds()} s)`);
  }

  seconds() {
    return Math.round((Date.now() - this.start) / 1000);
  }

  end(fine) {
    clearInterval(this.timer);
    if (!this.shown && fine) return;
    const text = `${this.title}: ${fine ? 'done' : 'failed'} (${this.seconds()} s)`;
    console.log(this.terminal ? `\r\x1b[2K${text}` : `  ${fine ? 'done' : 'failed'} (${this.seconds()} s)`);
  }
}

/** True for the module that Node was started with. */
export function isMain(url) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url);
}

/** Runs a program's main function; an explained failure is shown as its text alone. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof Explained ? `\n${error.message}` : error);
    process.exit(1);
  }
}
