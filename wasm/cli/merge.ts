/** normscope merge: the files of a sweep as one, in the order of its grid. */
import { readFileSync, writeFileSync } from 'node:fs';
import { countCells, mergeRecords, parseRecords } from 'normscope';
import { UsageError } from './arguments.js';
import type { Command } from './command.js';
import { FileError, readRequest, recordsIn } from './request-file.js';
import { print } from './terminal.js';

export const mergeCommand: Command = {
  options: { out: 'text', complete: 'flag', spec: 'text' },
  async run({ given, text }) {
    const files = given.positionals;
    if (files.length === 0) throw new UsageError(text.wrong.noFiles);
    const merged = mergeRecords(files.map(readFile));
    const out = given.text('out');
    if (out === undefined) print(merged);
    else writeFileSync(out, merged);
    const gaps = missing(merged, given.text('spec'));
    if (gaps) process.stderr.write(`normscope: ${text.merge.gaps(gaps)}\n`);
    return gaps && given.flag('complete') ? 1 : 0;
  },
};

function readFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new FileError((file) => file.unreadable(path, (cause as Error).message), { cause });
  }
  recordsIn(path, text);
  return text;
}

/** Indices without a record as '3, 5–7'; '' when none is missing. Without the spec, up to the last record. */
function missing(merged: string, spec: string | undefined): string {
  const present = new Set(parseRecords(merged).map(({ index }) => index));
  const count = spec === undefined ? Math.max(-1, ...present) + 1 : countCells(readRequest(spec));
  const gaps: string[] = [];
  for (let first = 0; first < count; ++first) {
    if (present.has(first)) continue;
    let last = first;
    while (last + 1 < count && !present.has(last + 1)) ++last;
    gaps.push(first === last ? String(first) : `${first}–${last}`);
    first = last;
  }
  return gaps.join(', ');
}
