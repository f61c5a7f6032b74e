// npm run bench [-- gpu] [-- options]: the measurements of tests/bench, with its own npm packages (the peers).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildAll } from './build.mjs';
import { buildPreset } from './cmake.mjs';
import { Explained, main, root, run } from './shell.mjs';
import { ensureNodePackages, setup, toolEnvironment } from './setup.mjs';

await main(async () => {
  const onGpu = process.argv[2] === 'gpu';
  const script = join(root, 'tests/bench', onGpu ? 'gpu.mjs' : 'run.mjs');
  if (!existsSync(script)) throw new Explained(`${script} is missing.`);
  const tools = await setup({ test: true });
  await ensureNodePackages(join(root, 'tests/bench'), 'npm packages of the bench');
  await buildAll(tools);
  if (!onGpu) await buildPreset('native', 'the native build', tools);
  await run(process.execPath, [script, ...process.argv.slice(2)], {
    cwd: root,
    env: { ...process.env, ...toolEnvironment(tools) },
  });
});
