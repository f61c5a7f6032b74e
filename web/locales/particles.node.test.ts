import { PLACEMENTS } from 'normscope';
import { describe, expect, test } from 'vitest';
import { and, subject, topic } from './particles.js';
import { placements } from './placements.js';

describe('Korean particles', () => {
  test('follow the last sound of the word', () => {
    expect([topic('Pre-LN'), topic('ReZero'), topic('직접 만든 구조')]).toEqual([
      'Pre-LN은',
      'ReZero는',
      '직접 만든 구조는',
    ]);
    expect([subject('DeepNorm'), and('ReZero'), and('정규화 없음')]).toEqual([
      'DeepNorm이',
      'ReZero와',
      '정규화 없음과',
    ]);
  });
});

describe('rows of the table', () => {
  test.each(PLACEMENTS.map((row) => [row.name, row] as const))(
    '%s has a name, and Korean where it has words',
    (name, row) => {
      for (const { placements: names } of [placements.en, placements.ko]) expect(names).toHaveProperty(name);
      const words = /\b(?!Attn|MLP)[A-Za-z]{3,}\b/;
      expect(placements.ko.equationOf(name, row.equation)).not.toMatch(words);
      if (/\b(to|of|for|that|a|its|no|before)\b/.test(row.users))
        expect(placements.ko.usersOf(name, row.users)).toMatch(/[가-힣]/);
    },
  );
});
