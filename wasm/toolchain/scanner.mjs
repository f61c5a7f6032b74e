// A strict reader of the small C++ tables that TypeScript shares: what it does not know it refuses, by file and line.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Explained } from './shell.mjs';

export class Scanner {
  /** Reads a file; comments become blanks, so that positions stay. */
  constructor(path, root) {
    this.name = relative(root, path);
    if (!existsSync(path)) throw new Explained(`${this.name} is missing.`);
    const blank = (text) => text.replace(/[^\n]/g, ' ');
    this.text = readFileSync(path, 'utf8').replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (text) =>
      text[0] === '"' ? text : blank(text),
    );
    this.position = 0;
    this.skipBlank();
  }

  get atEnd() {
    return this.position >= this.text.length;
  }

  /** The groups of a pattern that matches here, or null; blanks after it are skipped. */
  accept(pattern) {
    const sticky = new RegExp(pattern.source, 'y');
    sticky.lastIndex = this.position;
    const match = sticky.exec(this.text);
    if (!match) return null;
    this.last = this.position;
    this.position = sticky.lastIndex;
    this.skipBlank();
    return match.slice(1);
  }

  expect(pattern, what) {
    return this.accept(pattern) ?? this.refuse(`expected ${what}`);
  }

  /** Throws, naming file and line of the current (or the last accepted) position. */
  refuse(problem, position = this.position) {
    const line = this.text.slice(0, position).split('\n').length;
    const found = this.text.slice(position).split('\n', 1)[0].trim() || 'the end of the line';
    throw new Explained(`${this.name}:${line}: ${problem}; found: ${found}`);
  }

  skipBlank() {
    while (/\s/.test(this.text[this.position] ?? '')) this.position++;
  }
}
