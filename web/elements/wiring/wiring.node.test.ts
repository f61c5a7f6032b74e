import { PLACEMENTS } from 'normscope';
import { describe, expect, test } from 'vitest';
import { wiring as texts } from '../../locales/wiring.js';
import { equationOf, stepsOf } from './steps.js';
import { BARE_WIRING, FREE_WIRING, isIdle, WIRING_FIELDS, wiringOfRow, wiringSpec, type Wiring } from './wiring.js';
import { rowsLike } from './wiring-view.js';

const rowOf = (name: string) => wiringOfRow(PLACEMENTS.find((row) => row.name === name)!);
const names = (wiring: Wiring) => stepsOf(wiring).map(({ name }) => name);
const equations = (name: string) => stepsOf(rowOf(name)).map(equationOf);

describe('a row of the table as a wiring', () => {
  test.each(PLACEMENTS.map(({ name }) => name))('%s is recognised by its fields', (name) => {
    expect(rowsLike(rowOf(name))).toContain(name);
  });

  test('a changed field is no row any more', () => {
    expect(rowsLike({ ...rowOf('peri-ln'), alpha: 0.5 })).toEqual([]);
  });

  test.each(['none', 'post-ln', 'pre-ln', 'peri-ln', 'output-ln', 'sandwich-ln'])(
    '%s has the equation of the table, made from its fields',
    (name) => {
      const plain = (text: string) => text.replace(/[\s·]/g, '');
      const { equation } = PLACEMENTS.find((row) => row.name === name)!;
      expect(equations(name).map(plain)).toEqual([`x←${plain(equation)}`]);
    },
  );
});

describe('the steps of a wiring', () => {
  test('are one where attention and MLP, early and late blocks are alike', () => {
    expect(names(FREE_WIRING)).toEqual(['every']);
    expect(names({ ...FREE_WIRING, earlyFraction: 0.5, earlyNorms: 'output' })).toEqual(['every']);
  });

  test('are told apart where they differ', () => {
    expect(equations('mix-ln')).toEqual(['x ← N(x + Δt·f(x))', 'x ← x + Δt·f(N(x))']);
    expect(names(rowOf('mix-ln'))).toEqual(['early', 'late']);
    expect(names(rowOf('hybridnorm'))).toEqual(['attention', 'mlp']);
    expect(equations('hybridnorm')[1]).toBe('x ← N(x) + Δt·f(N(x))');
    expect(names({ ...rowOf('hybridnorm'), earlyFraction: 0.25, earlyNorms: 'stream' })).toEqual([
      'early',
      'late-attention',
      'late-mlp',
    ]);
  });

  test('show factors of skip, branch and depth', () => {
    expect(equations('deepnorm')).toEqual(['x ← N(α·x + Δt·f(x))']);
    expect(equations('ln-scaling')).toEqual(['x ← x + Δt·f(N(x)/√l)']);
    expect(equations('layerscale')).toEqual(['x ← x + Δt·s⊙f(N(x))']);
  });
});

describe('the reader’s own wiring', () => {
  test('as a spec overrides every field of the preset below it', () => {
    const spec = wiringSpec(FREE_WIRING) as Record<string, unknown>;
    for (const field of Object.keys(BARE_WIRING)) expect(spec, field).toHaveProperty(field);
    expect(spec['placement']).toBe('none');
  });

  test('every field can be set in the editor, and has words for it and for its choices', () => {
    const fields = Object.assign({}, ...Object.values(WIRING_FIELDS)) as Record<string, { choices?: string[] }>;
    expect(Object.keys(fields).sort()).toEqual(Object.keys(BARE_WIRING).sort());
    for (const { fields: words, choices } of [texts.en, texts.ko])
      for (const [field, { choices: wanted = [] }] of Object.entries(fields)) {
        expect(words, field).toHaveProperty(field);
        const known = field.endsWith('Norms') ? choices.norms : (choices as Record<string, object>)[field];
        for (const choice of wanted) expect(known, `${field} ${choice}`).toHaveProperty(choice);
      }
  });

  test('fields without an effect say so by being off', () => {
    expect(isIdle(FREE_WIRING, 'branchScaleInit')).toBe(true);
    expect(isIdle({ ...FREE_WIRING, branchScale: 'scalar' }, 'branchScaleInit')).toBe(false);
    expect(isIdle({ ...FREE_WIRING, residual: false }, 'alpha')).toBe(true);
  });
});
