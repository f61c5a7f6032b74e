import { sentenceOf, type ErrorMessages } from '../locales/errors.js';

/** What went wrong, in the reader's words; the package's own sentence where the code is none of ours. */
export function failureSentence(wrong: ErrorMessages, error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  const message = error instanceof Error ? error.message : String(error);
  const sentence = sentenceOf(wrong, typeof code === 'string' ? code : 'other');
  return `${sentence} (${message})`;
}
