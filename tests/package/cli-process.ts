/** The command line as its users meet it: a process with arguments, two streams and an exit code. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}
export interface CallOptions {
  cwd?: string;
  input?: string;
  env?: Record<string, string>;
}

/** A command under way; `ended` resolves when it is over. In English unless `env` or --lang says otherwise. */
export function start(
  args: readonly string[],
  { cwd, input = '', env }: CallOptions = {},
): ChildProcess & { ended: Promise<Ended> } {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...process.env, LC_ALL: '', LC_MESSAGES: '', LANG: 'en_US.UTF-8', ...env },
  });
  child.stdin.on('error', () => undefined); // a command that needs no input may have ended
  child.stdin.end(input);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  return Object.assign(child, { ended });
}

export const call = (args: readonly string[], options?: CallOptions): Promise<Ended> => start(args, options).ended;
