/** What every command gets, and the pieces that several of them share. */
import type { ModelSpec } from 'normscope';
import type { CliMessages } from '../../web/locales/cli.js';
import type { Language } from '../../web/locales/language.js';
import { type Arguments, type OptionTable, UsageError } from './arguments.js';
import { readAssignment, readRequest, type RequestFile, textData } from './request-file.js';
import type { Interruption } from './terminal.js';

export interface Context {
  given: Arguments;
  language: Language;
  text: CliMessages;
  interruption: Interruption;
}

export interface Command {
  options: OptionTable;
  /** The exit code. */
  run(context: Context): Promise<number>;
}

/** Steps of a run whose file and call say nothing. */
export const DEFAULT_STEPS = 300;

/** Options of every command that reads a spec. */
export const SPEC_OPTIONS = { set: 'list', text: 'text', json: 'flag' } as const satisfies OptionTable;

/** The one file that a command takes, with what --set and --text change in it. */
export function requestOf({ given, text }: Context, command: string): RequestFile {
  const [source, extra] = given.positionals;
  if (source === undefined) throw new UsageError(text.wrong.noSpec(command));
  if (extra !== undefined) throw new UsageError(text.wrong.tooMany(extra));
  return withOptions(readRequest(source), given);
}

export function withOptions(request: RequestFile, given: Arguments): RequestFile {
  const base = Object.assign({ ...request.base }, ...given.list('set').map(readAssignment)) as ModelSpec;
  const file = given.text('text');
  return { ...request, base, ...(file !== undefined && textData(file)) };
}

/** A whole number from 1 up, or undefined where the option was not given. */
export function countOf({ given, text }: Context, name: string): number | undefined {
  const value = given.text(name);
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,7}$/.test(value)) return Number(value);
  throw new UsageError(text.wrong.count(`--${name}`, value));
}

/** '3 min 20 s' */
export function duration(seconds: number, { progress }: CliMessages): string {
  const whole = Math.round(seconds);
  return whole < 60
    ? progress.seconds(String(whole))
    : progress.time(String(Math.floor(whole / 60)), String(whole % 60));
}

/** What is under way: ` · 2 min 5 s left`, or nothing while nobody can say. */
export const timeLeft = (secondsLeft: number | null, text: CliMessages): string =>
  secondsLeft === null ? '' : `  ${text.progress.left(duration(secondsLeft, text))}`;
