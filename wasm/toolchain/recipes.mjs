// npm run test:recipes [-- A G]: the recipes as published, all seeds and steps. Minutes for each.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildAll } from './build.mjs';
import { main, root } from './shell.mjs';
import { setup, toolEnvironment } from './setup.mjs';

await main(async () => {
  const tools = await setup({ test: true });
  await buildAll(tools);
  const names = process.argv.slice(2).join('|');
  const only = names ? ['-t', `(${names}) ends between|recipe (${names})`] : [];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--project', 'node', 'tests/package/recipe', ...only],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...toolEnvironment(tools), NORMSCOPE_RECIPES: 'full' } },
  );
  process.exitCode = status ?? 1;
});
