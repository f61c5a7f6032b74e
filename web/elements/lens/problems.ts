import type { ErrorMessages } from '../../locales/errors.js';
import type { PasteOutcome } from './grid.js';

export type PasteProblem = (PasteOutcome & { kind: 'refused' })['problem'];

/** Why a pasted text was refused, in the reader's words. */
export function explain(wrong: ErrorMessages, problem: PasteProblem): string {
  const texts = wrong.vector;
  if ('item' in problem) return texts[problem.reason](String(problem.item));
  if ('limit' in problem) return texts['too-many'](String(problem.limit));
  return texts[problem.reason];
}
