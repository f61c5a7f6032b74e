/** Where the training text comes from, and which texts are refused. */
import type { TrainingData } from 'normscope';
import type { TextSource } from './settings.js';

/** Fewer characters than this cannot fill batches that differ. */
export const MIN_CHARACTERS = 200;
/** A larger file would hold the page while it is read. */
export const MAX_BYTES = 4 * 1024 * 1024;

/** A text area laid out with more than this many UTF-16 units holds the page. */
const LONG_TEXT = 20_000;
/** How much of a long text is shown. */
const PREVIEW = 5_000;

export function isLong(text: string): boolean {
  return text.length > LONG_TEXT;
}

/** The beginning of a long text, never half a character. */
export function previewOf(text: string): string {
  return text.slice(0, PREVIEW).replace(/[\ud800-\udbff]$/, '');
}

let counted = { text: '', count: 0 };

/** Number of code points; the answer for the last text is kept, since the page asks at every drawing. */
export function countCharacters(text: string): number {
  if (text !== counted.text) {
    let count = 0;
    for (const _ of text) count += 1;
    counted = { text, count };
  }
  return counted.count;
}

export type TextRefusal =
  | { code: 'empty' }
  | { code: 'too-short'; count: number; least: number }
  | { code: 'too-large'; bytes: number; most: number }
  | { code: 'not-utf8' }
  | { code: 'unreadable'; detail: string };

/** Null when the text can be trained on. */
export function checkText(text: string): TextRefusal | null {
  const trimmed = text.trim();
  if (isLong(trimmed)) return null;
  const count = [...trimmed].length;
  if (count === 0) return { code: 'empty' };
  return count < MIN_CHARACTERS ? { code: 'too-short', count, least: MIN_CHARACTERS } : null;
}

/** Strict UTF-8; a byte-order mark is dropped, line ends become \n. */
export function decodeText(bytes: ArrayBuffer): string | TextRefusal {
  if (bytes.byteLength > MAX_BYTES) return { code: 'too-large', bytes: bytes.byteLength, most: MAX_BYTES };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r\n?/g, '\n');
  } catch {
    return { code: 'not-utf8' };
  }
}

export async function readFile(file: Blob): Promise<string | TextRefusal> {
  if (file.size > MAX_BYTES) return { code: 'too-large', bytes: file.size, most: MAX_BYTES };
  try {
    return decodeText(await file.arrayBuffer());
  } catch (error) {
    return { code: 'unreadable', detail: String(error) };
  }
}

/** The Universal Declaration of Human Rights; fetched when first asked for. */
export async function declaration(language: 'ko' | 'en'): Promise<string> {
  const module = await (language === 'ko'
    ? import('../../../build/generated/declaration-ko.js')
    : import('../../../build/generated/declaration-en.js'));
  return module.default;
}

/** Training data of a source; `own` is the reader's text. */
export async function trainingData(source: TextSource, own: string): Promise<TrainingData | TextRefusal> {
  if (source === 'markov') return { kind: 'markov' };
  if (source === 'declaration-ko') return { kind: 'text', text: await declaration('ko') };
  if (source === 'declaration-en') return { kind: 'text', text: await declaration('en') };
  return checkText(own) ?? { kind: 'text', text: own };
}
