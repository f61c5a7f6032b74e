// Writes build/generated/formulas.ts: MathML without style or class attributes, so that it passes a strict CSP.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import temml from 'temml';
import { formulas } from './formulas.mjs';

const target = new URL('../../build/generated/formulas.ts', import.meta.url);

function mathml(tex) {
  const text = temml.renderToString(tex, { displayMode: true, throwOnError: true });
  return overlines(text.replace(/ (?:style|class)="[^"]*"/g, '').replace(/<mspace><\/mspace>/g, ''));
}

/** MathML Core, and so Chromium, has no menclose: a line above is an accent there. */
function overlines(text) {
  const core = text.replace(
    /<menclose notation="top">(.*?)<\/menclose>/g,
    '<mover accent="true">$1<mo stretchy="true">‾</mo></mover>',
  );
  if (core.includes('<menclose')) throw new Error('A formula needs menclose, which Chromium does not draw.');
  return core;
}

/** Leaves an equal file alone, so that watchers do not fire. */
export async function generateFormulas() {
  const rows = Object.entries(formulas).map(([name, { tex, en, ko }]) => [name, { mathml: mathml(tex), en, ko }]);
  const source = [
    '// Made by web/formulas/generate.mjs from formulas.mjs.',
    `export const FORMULAS = ${JSON.stringify(Object.fromEntries(rows), null, 2)} as const;`,
    'export type FormulaName = keyof typeof FORMULAS;',
    '',
  ].join('\n');
  const old = await readFile(target, 'utf8').catch(() => '');
  if (old === source) return;
  await mkdir(new URL('./', target), { recursive: true });
  await writeFile(target, source);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await generateFormulas();
