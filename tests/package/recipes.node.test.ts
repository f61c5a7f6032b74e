/**
 * The recipes keep what they promise. Here in their thin form; `npm run test:recipes` runs them as published, which
 * takes minutes each.
 */
import { checkRecipe, experiment, type RecipeName, RECIPES } from 'normscope';
import { describe, expect, it } from 'vitest';

const size = process.env.NORMSCOPE_RECIPES === 'full' ? 'full' : 'thin';

describe(`the recipes (${size})`, () => {
  it.each(Object.keys(RECIPES) as RecipeName[])(
    '%s ends between its bounds',
    async (name) => {
      const recipe = RECIPES[name][size];
      const records = await experiment(recipe.request).records;
      const findings = checkRecipe(recipe, records);
      expect(findings.length).toBeGreaterThan(0);
      for (const finding of findings) expect(finding, JSON.stringify(finding)).toMatchObject({ holds: true });
    },
    size === 'full' ? 3_600_000 : 300_000,
  );

  it('promise only what records of theirs can say', () => {
    for (const { name, full, thin } of Object.values(RECIPES))
      for (const { expected } of [full, thin])
        for (const { measured, holds } of checkRecipe({ expected }, []))
          expect([name, measured, holds]).toEqual([name, NaN, false]);
  });
});
