#!/usr/bin/env node
/** npx normscope: reads the command line, runs one command, ends with its exit code. */
import { load, NormscopeError } from 'normscope';
import { cli, type CliMessages } from '../../web/locales/cli.js';
import { type Language, parseLanguage } from '../../web/locales/language.js';
import { nearest, readArguments, UsageError } from './arguments.js';
import { analyseCommand } from './analyse.js';
import { checkCommand } from './check.js';
import type { Command } from './command.js';
import { exportCommand } from './export-pytorch.js';
import { mergeCommand } from './merge.js';
import { planCommand } from './plan.js';
import { FileError } from './request-file.js';
import { runCommand } from './run.js';
import { sweepCommand } from './sweep.js';
import { Interruption, print } from './terminal.js';

const COMMANDS: Record<keyof CliMessages['command'], Command> = {
  run: runCommand,
  sweep: sweepCommand,
  analyse: analyseCommand,
  check: checkCommand,
  plan: planCommand,
  merge: mergeCommand,
  'export-pytorch': exportCommand,
};
const NAMES = Object.keys(COMMANDS) as (keyof typeof COMMANDS)[];
const ALWAYS = { lang: 'text', help: 'flag', version: 'flag' } as const;

/** As the system says it: LC_ALL before LC_MESSAGES before LANG. */
function systemLanguage(): Language {
  const { LC_ALL, LC_MESSAGES, LANG } = process.env;
  return parseLanguage((LC_ALL || LC_MESSAGES || LANG)?.split('.')[0]) ?? 'en';
}

/** --lang counts before anything else is read, so that refusals are in the reader's language, too. */
function languageOf(args: readonly string[]): Language {
  const i = args.findIndex((arg) => arg === '--lang' || arg.startsWith('--lang='));
  if (i < 0) return systemLanguage();
  const value = args[i]!.split('=')[1] ?? args[i + 1] ?? '';
  const language = parseLanguage(value);
  if (!language) throw new UsageError(cli[systemLanguage()].wrong.language(value));
  return language;
}

async function main(args: readonly string[]): Promise<number> {
  const language = languageOf(args);
  const text = cli[language];
  const [name, ...rest] = withCommandFirst(args);
  if (args.includes('--version')) return printVersion();
  if (args.length === 0 || (args.includes('--help') || args.includes('-h') || name === 'help')) return printUsage(text, name); // prettier-ignore
  const command = commandOf(name, text);
  const given = readArguments(
    rest,
    { ...command.options, ...ALWAYS },
    {
      unknownOption: text.wrong.option,
      needsValue: text.wrong.needsValue,
      takesNoValue: text.wrong.takesNoValue,
    },
  );
  const interruption = new Interruption(text.interrupted);
  try {
    const code = await command.run({ given, language, text, interruption });
    return interruption.exitCode ?? code;
  } catch (error) {
    if (interruption.exitCode === null) throw error;
    process.stderr.write(`normscope: ${text.nothingKept}\n`);
    return interruption.exitCode;
  }
}

/** `normscope --lang ko run x` and `normscope run x --lang ko` are one call. */
function withCommandFirst(args: readonly string[]): string[] {
  const at = args.findIndex((arg, i) => !arg.startsWith('-') && args[i - 1] !== '--lang');
  return at < 0 ? ['', ...args] : [args[at]!, ...args.slice(0, at), ...args.slice(at + 1)];
}

function commandOf(name: string | undefined, { wrong }: CliMessages): Command {
  if (!name) throw new UsageError(wrong.noCommand(NAMES.join(', ')));
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name as keyof typeof COMMANDS];
  throw new UsageError(wrong.command(name, nearest(name, NAMES), NAMES.join(', ')));
}

async function printVersion(): Promise<number> {
  print(`${(await load()).version}\n`);
  return 0;
}

function printUsage(text: CliMessages, name: string | undefined): number {
  const one = name && Object.hasOwn(COMMANDS, name) ? (name as keyof typeof COMMANDS) : null;
  const names = one ? [one] : NAMES;
  const options = one
    ? [...Object.keys(COMMANDS[one].options), ...Object.keys(ALWAYS)]
    : [...new Set([...NAMES.flatMap((each) => Object.keys(COMMANDS[each].options)), ...Object.keys(ALWAYS)])];
  const commands = names.map((each) => `  ${text.command[each].call}\n      ${text.command[each].text}`);
  const lines = options.map((option) => `  ${text.option[option as keyof CliMessages['option']]}`);
  const parts = [text.usage, `${text.commands}\n${commands.join('\n')}`, `${text.options}\n${lines.join('\n')}`];
  print(`${[...parts, text.specs, text.codes].join('\n\n')}\n`);
  return 0;
}

/** Words for what went wrong; a stack only for what nobody foresaw. */
function explain(error: unknown, language: Language): string {
  const text = cli[language];
  if (error instanceof UsageError) return error.message;
  if (error instanceof FileError) return error.words(text.file);
  if (error instanceof NormscopeError || isSystemError(error)) return text.failed(error.message);
  return text.failed(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** Of the file system: its message says which file and what is wrong. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;

const args = process.argv.slice(2);
try {
  process.exitCode = await main(args);
} catch (error) {
  const language = ((): Language => {
    try {
      return languageOf(args);
    } catch {
      return systemLanguage();
    }
  })();
  process.stderr.write(`normscope: ${explain(error, language)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
// Idle workers would keep the process alive; whatever was printed is out by now.
process.exit();
