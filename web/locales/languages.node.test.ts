import { describe, expect, test } from 'vitest';
import { glossary } from './glossary.js';
import { messages } from './index.js';
import { parseLanguage, preferredLanguage } from './language.js';

/** Every path to a text, with the text; functions are called with their own argument names. */
function texts(node: unknown, path = ''): [string, string][] {
  if (typeof node === 'string') return [[path, node]];
  if (typeof node === 'function') return [[path, String(node)]];
  return Object.entries(node as object).flatMap(([key, value]) => texts(value, `${path}.${key}`));
}

describe('language', () => {
  test.each([
    ['ko-KR', 'ko'],
    ['EN', 'en'],
    ['fr', null],
    ['', null],
  ])('%j is %j', (tag, language) => expect(parseLanguage(tag)).toBe(language));

  test('the address comes before the browser, the browser before English', () => {
    expect(preferredLanguage('?lang=ko', ['en'])).toBe('ko');
    expect(preferredLanguage('', ['fr', 'ko-KR', 'en'])).toBe('ko');
    expect(preferredLanguage('?lang=xx', ['fr'])).toBe('en');
  });
});

describe('messages', () => {
  const [en, ko] = [texts(messages.en), texts(messages.ko)];

  test('Korean and English have the same texts, and the same ones are left empty', () => {
    expect(ko.map(([path]) => path)).toEqual(en.map(([path]) => path));
    ko.forEach(([path, text], index) => expect(text.trim() === '', path).toBe(en[index]![1].trim() === ''));
  });

  test('Korean prose is written in Korean', () => {
    const prose = ko.filter(([path, text]) => path.startsWith('.page') && text.length > 40);
    expect(prose.length).toBeGreaterThan(10);
    for (const [path, text] of prose) expect(text, path).toMatch(/[가-힣]/);
  });

  test('the glossary has both languages for every term', () => {
    for (const [term, { en: english, ko: korean }] of Object.entries(glossary))
      expect([english, korean], term).not.toContain('');
  });
});
