// npm run dev [-- --port N]: the page from its sources; edits show at once. C++ changes need a restart.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildCore, generateSources } from './build.mjs';
import { main, root } from './shell.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '5173' } } });
  await buildCore(await setup());
  await generateSources();
  const { createServer } = await import('vite');
  const server = await createServer({
    configFile: join(root, 'web/site/vite.config.ts'),
    server: { port: Number(values.port) },
  });
  await server.listen();
  server.printUrls();
});
