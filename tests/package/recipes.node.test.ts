/**
 * The recipes keep what they promise. Here in their thin form; `npm run test:recipes` runs them as published, which
 * takes minutes each.
 */
import { checkRecipe, experiment, type ExperimentSummary, type RecipeName, RECIPES, summarize } from 'normscope';
import { describe, expect, it } from 'vitest';

const size = process.env.NORMSCOPE_RECIPES === 'full' ? 'full' : 'thin';

/** Printed where NORMSCOPE_RECIPES is set: what README.md says. */
function report(name: RecipeName, measured: Record<string, unknown>[], { cells }: ExperimentSummary): void {
  if (!process.env.NORMSCOPE_RECIPES) return;
  const rows = cells.map(({ cell, verdicts, finalLoss, maxAbs, streamVariance, heldOutLoss }) => {
    const counts = Object.entries(verdicts).filter(([, n]) => n > 0);
    return { ...cell, ...Object.fromEntries(counts), finalLoss, maxAbs, streamVariance, heldOutLoss };
  });
  console.log([...measured, ...rows].map((row) => `${name} ${JSON.stringify(row)}`).join('\n'));
}

describe(`the recipes (${size})`, () => {
  it.each(Object.keys(RECIPES) as RecipeName[])(
    '%s ends between its bounds',
    async (name) => {
      const recipe = RECIPES[name][size];
      const records = await experiment(recipe.request).records;
      const findings = checkRecipe(recipe, records);
      report(
        name,
        findings.map(({ code, least, most, measured, holds }) => ({ code, least, most, measured, holds })),
        summarize(records),
      );
      expect(findings.length).toBeGreaterThan(0);
      expect(findings.filter(({ holds }) => !holds)).toEqual([]);
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
