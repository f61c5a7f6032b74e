/** Writing Python: values, and lines of which some are left out. */

/** Lines under each other; what is false, null or '' is left out. */
export const lines = (...parts: readonly (string | false | null)[]): string => parts.filter(Boolean).join('\n');

export const indent = (text: string, by = '    '): string => text.replace(/^(?=.)/gm, by);

/** A number, truth value or text of JavaScript in Python. JSON's escapes mean the same there. */
export function literal(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}
