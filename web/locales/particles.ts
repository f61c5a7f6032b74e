/** Korean particles depend on the last sound of the word before them. */

/** Whether a word ends in a consonant sound. Of Latin names: all but those that end in o, such as ReZero. */
export function endsInConsonant(word: string): boolean {
  const last =
    word
      .trimEnd()
      .replace(/[)\]]+$/, '')
      .at(-1) ?? '';
  const code = last.charCodeAt(0) - 0xac00;
  if (code >= 0 && code < 11_172) return code % 28 !== 0;
  return !/[oO2459]/.test(last);
}

/** 'Pre-LN' → 'Pre-LN은', 'ReZero' → 'ReZero는'. */
export function topic(word: string): string {
  return `${word}${endsInConsonant(word) ? '은' : '는'}`;
}
/** 이 or 가. */
export function subject(word: string): string {
  return `${word}${endsInConsonant(word) ? '이' : '가'}`;
}
/** 과 or 와. */
export function and(word: string): string {
  return `${word}${endsInConsonant(word) ? '과' : '와'}`;
}
