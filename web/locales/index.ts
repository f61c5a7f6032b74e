/** All texts of the page, joined. An element imports only its own file. */
import { analysis } from './analysis.js';
import { errors } from './errors.js';
import { lab } from './lab.js';
import type { Language } from './language.js';
import { lens } from './lens.js';
import { memory } from './memory.js';
import type { Messages } from './messages.js';
import { page } from './page.js';
import { wiring } from './wiring.js';

const inLanguage = (language: Language): Messages => ({
  page: page[language],
  lens: lens[language],
  lab: lab[language],
  analysis: analysis[language],
  wiring: wiring[language],
  memory: memory[language],
  errors: errors[language],
});

export const messages: Record<Language, Messages> = { en: inLanguage('en'), ko: inLanguage('ko') };

export { glossary, type Term } from './glossary.js';
export { LANGUAGES, languageOf, parseLanguage, preferredLanguage, type Language } from './language.js';
export {
  formatAmount,
  formatBytes,
  formatCompact,
  formatCount,
  formatNumber,
  formatRead,
  formatSlope,
  formatVector,
} from './numbers.js';
export { parseNumber, parseVector, type ParsedNumber, type ParsedVector } from './parse.js';
export type { Messages } from './messages.js';
