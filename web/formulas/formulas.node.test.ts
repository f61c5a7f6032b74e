import { describe, expect, test } from 'vitest';
import { FORMULAS } from '../../build/generated/formulas.js';

describe.each(Object.entries(FORMULAS))('the formula %s', (_, { mathml }) => {
  test('uses no element that Chromium drops and no style that a strict CSP forbids', () => {
    expect(mathml).not.toMatch(/<menclose|<mfenced|<mstyle| style=| class=/);
  });
});

test('mean absolute values keep their overlines', () => {
  expect(FORMULAS['peri-bound'].mathml.match(/<mover accent="true">/g)).toHaveLength(3);
});
