// npm run bench [-- options]: the measurements of tests/bench, with its own npm packages (the peers).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildAll } from './build.mjs';
import { buildPreset } from './cmake.mjs';
import { Explained, main, root, run } from './shell.mjs';
import { ensureNodePackages, setup, toolEnvironment } from './setup.mjs';

await main(async () => {
  const script = join(root, 'tests/bench/run.mjs');
  if (!existsSync(script)) throw new Explained('tests/bench/run.mjs is missing.');
  const tools = await setup({ test: true });
  await ensureNodePackages(join(root, 'tests/bench'), 'npm packages of the bench');
  await buildAll(tools);
  await buildPreset('native', 'the native build', tools);
  await run(process.execPath, [script, ...process.argv.slice(2)], {
    cwd: root,
    env: { ...process.env, ...toolEnvironment(tools) },
  });
});
