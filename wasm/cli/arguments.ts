/** The command line as data: which options a command knows, and what was given. */
import { parseArgs } from 'node:util';
import { suggest } from '../runtime/checks.js';

/** What a user typed wrong: one sentence, exit code 2. */
export class UsageError extends Error {}

/** 'flag' stands alone, 'text' takes a value, 'list' may be given several times. */
export type OptionKind = 'flag' | 'text' | 'list';
export type OptionTable = Readonly<Record<string, OptionKind>>;

export interface Arguments {
  flag(name: string): boolean;
  text(name: string): string | undefined;
  list(name: string): string[];
  positionals: string[];
}

const SHORT: Record<string, string> = { h: 'help' };

/** The sentences of a refusal; see web/locales/cli.ts. */
export interface ArgumentTexts {
  /** `near`: the option that was probably meant, or ''. */
  unknownOption(name: string, near: string): string;
  needsValue(name: string): string;
  takesNoValue(name: string): string;
}

/** @throws UsageError naming the option and, where one is near, what was probably meant */
export function readArguments(args: readonly string[], table: OptionTable, texts: ArgumentTexts): Arguments {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, kind]) => [name, { type: kind === 'flag' ? 'boolean' : 'string' } as const]),
  );
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const name = SHORT[token.name] ?? token.name;
    const kind = Object.hasOwn(table, name) ? table[name]! : null;
    const known = Object.keys(table).map((each) => `--${each}`);
    if (!kind) throw new UsageError(texts.unknownOption(token.rawName, nearest(token.rawName, known)));
    if (kind === 'flag' && token.value !== undefined) throw new UsageError(texts.takesNoValue(token.rawName));
    if (kind !== 'flag' && token.value === undefined) throw new UsageError(texts.needsValue(token.rawName));
    given.set(name, [...(given.get(name) ?? []), token.value ?? '']);
  }
  return {
    flag: (name) => given.has(name),
    text: (name) => given.get(name)?.at(-1),
    list: (name) => given.get(name) ?? [],
    positionals,
  };
}

/** The known word that was probably meant, or ''. */
export const nearest = (word: string, known: readonly string[]): string =>
  /'([^']+)'\?$/.exec(suggest(word, known))?.[1] ?? '';
