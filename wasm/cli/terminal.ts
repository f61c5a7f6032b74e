/** What a reader at a terminal sees: a progress line on stderr, tables on stdout; and Ctrl-C. */
import { writeSync } from 'node:fs';

/** One line on stderr that is redrawn in place; nothing where stderr is no terminal. */
export class ProgressLine {
  readonly #shown = process.stderr.isTTY === true;

  /** `fraction` in [0, 1]; `text` says what it means. */
  show(fraction: number, text: string): void {
    if (!this.#shown) return;
    const width = 24;
    const full = Math.round(Math.min(1, Math.max(0, fraction)) * width);
    const bar = '█'.repeat(full) + '░'.repeat(width - full);
    const line = `${bar} ${Math.floor(fraction * 100)} %  ${text}`;
    process.stderr.write(`\r\x1b[2K${clip(line, (process.stderr.columns ?? 80) - 1)}`);
  }

  /** Takes the line away, so that what follows starts on an empty one. */
  clear(): void {
    if (this.#shown) process.stderr.write('\r\x1b[2K');
  }
}

/** Cells of a terminal that a text takes: two for Hangul and other wide characters. */
export const cellsOf = (text: string): number =>
  Array.from(text).reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/;

function clip(text: string, cells: number): string {
  let left = cells;
  let kept = '';
  for (const character of text) {
    left -= cellsOf(character);
    if (left < 0) break;
    kept += character;
  }
  return kept;
}

/** Rows under their heads; the first column to the left, the others to the right. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) => Math.max(cellsOf(head), ...rows.map((row) => cellsOf(row[i] ?? ''))));
  const pad = (text: string, i: number): string => {
    const space = ' '.repeat(widths[i]! - cellsOf(text));
    return i === 0 ? text + space : space + text;
  };
  return [heads, ...rows].map((row) => row.map((text, i) => pad(text, i)).join('  ').trimEnd()).join('\n'); // prettier-ignore
}

/** Exit codes of signals, as shells count them. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Calls `stop` at the first SIGINT or SIGTERM and remembers the exit code; a second one ends the process at once.
 * What was written stays whole: files are appended by whole lines.
 */
export class Interruption {
  exitCode: number | null = null;
  readonly #controller = new AbortController();

  constructor(notice: string) {
    for (const [name, code] of Object.entries(SIGNALS))
      process.on(name, () => {
        if (this.exitCode !== null) process.exit(this.exitCode);
        this.exitCode = code;
        if (process.stderr.isTTY) process.stderr.write(`\n${notice}\n`);
        this.#controller.abort();
      });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
}

/** To stdout, all of it before it returns, so that ending the process loses nothing. A reader that is gone ends the process. */
export function print(text: string): void {
  for (let rest = Buffer.from(text); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') process.exit(0);
      if (code !== 'EAGAIN') throw error;
    }
  }
}

/** JSON in which a number that was not measured is null, and an infinite one a text. */
export const json = (value: unknown): string =>
  `${JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== 'number' || Number.isFinite(each)) return each;
    return Number.isNaN(each) ? null : String(each);
  })}\n`;
