import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { FORMULAS, type FormulaName } from '../../build/generated/formulas.js';
import { PLACEMENTS } from '../../build/generated/placements.js';
import { blockDiagram } from '../charts/block-diagram.js';
import { DIAGRAM_CSS } from '../charts/diagram-css.js';
import { tokensCss } from '../elements/tokens.js';
import { LANGUAGES, type Language } from '../locales/language.js';
import { page, SOURCES, type PageMessages } from '../locales/page.js';
import { staticBars } from './static-bars.js';

const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self' blob: data:",
  "connect-src 'self' blob: data:",
  "object-src 'none'",
  "base-uri 'self'",
].join('; ');

/** Puts the prose of both languages, the formulas and the diagrams into index.html, so that they need no JavaScript. */
export function prerender(): Plugin {
  let building = false;
  return {
    name: 'normscope-prerender',
    configResolved(config) {
      building = config.command === 'build';
    },
    transformIndexHtml: {
      order: 'pre',
      handler(html) {
        const filled = html.replace(/<!--\s*@(\w+)\s*-->/g, (_, slot: string) => fill(slot));
        const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}" />`;
        return building ? filled.replace('<meta charset="utf-8" />', (charset) => `${charset}\n    ${policy}`) : filled;
      },
    },
    /** theme.css asks for the tokens and the diagrams' looks by name: the same lists that the elements use. */
    load: {
      filter: { id: /\/site\/theme\.css(\?|$)/ },
      handler(id) {
        const css = readFileSync(id.replace(/\?.*$/, ''), 'utf8');
        return css.replace('@tokens;', tokensCss(':root')).replace('@diagram;', DIAGRAM_CSS);
      },
    },
  };
}

function fill(slot: string): string {
  if (slot === 'details') return details();
  if (slot === 'sourceList')
    return SOURCES.map(({ text, href }) => `<li><a href="${href}">${text}</a></li>`).join('\n');
  if (slot === 'figure') return staticBars();
  if (slot === 'themeButton') return themeButton();
  if (INLINE.has(slot)) return spans(slot as TextSlot);
  return blocks(slot as TextSlot);
}

type TextSlot = { [Key in keyof PageMessages]: PageMessages[Key] extends string ? Key : never }[keyof PageMessages];

/** Slots inside a heading, a link or a button, where no block may stand. */
const INLINE = new Set(['skip', 'sources']);

function spans(slot: TextSlot): string {
  return LANGUAGES.map((language) => `<span class="in" lang="${language}">${page[language][slot]}</span>`).join(' ');
}

/** One text in both languages, side by side; the theme shows the reader's. */
function blocks(slot: TextSlot): string {
  const text = (language: Language) => prose(page[language][slot], language);
  return LANGUAGES.map((language) => `<div class="in" lang="${language}">${text(language)}</div>`).join('\n');
}

function themeButton(): string {
  const label = (language: Language, scheme: 'dark' | 'light') =>
    `<span class="in" lang="${language}" data-to="${scheme}">${page[language].theme[scheme]}</span>`;
  return LANGUAGES.flatMap((language) => [label(language, 'dark'), label(language, 'light')]).join('');
}

function details(): string {
  const one = (text: string, language: Language) => `<section class="detail">${prose(text, language)}</section>`;
  return LANGUAGES.map(
    (language) =>
      `<div class="in details" lang="${language}">${page[language].details.map((text) => one(text, language)).join('')}</div>`,
  ).join('\n');
}

function prose(text: string, language: Language): string {
  return text.replace(/\{\{([\w-]+)\}\}/g, (_, name: string) =>
    name === 'placements' ? placements(language) : `<p class="display">${mathml(name as FormulaName, language)}</p>`,
  );
}

function mathml(name: FormulaName, language: Language): string {
  const entry = FORMULAS[name];
  if (!entry) throw new Error(`page.ts asks for the formula "${name}", which formulas.mjs does not have`);
  return `<span class="formula" role="math" aria-label="${entry[language]}"><span aria-hidden="true">${entry.mathml}</span></span>`;
}

/** Diagrams come from the same table that the models are built from. */
function placements(language: Language): string {
  const texts = page[language].placements;
  const cards = (Object.keys(texts) as (keyof typeof texts)[]).map((name) => {
    const wiring = PLACEMENTS.find((row) => row.name === name);
    if (!wiring) throw new Error(`the table of placements has no row "${name}"`);
    const text = texts[name];
    return `<section class="placement">
      <h3>${text.name}</h3>
      ${blockDiagram(wiring, text.diagram)}
      <p class="display">${mathml(name, language)}</p>
      ${text.text}
      <p class="users"><span>${page[language].usedBy}</span> ${wiring.users}</p>
    </section>`;
  });
  return `<div class="placements">${cards.join('\n')}</div>`;
}
