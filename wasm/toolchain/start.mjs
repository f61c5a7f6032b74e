// npm start [-- --port N]: sets up, builds what is stale, serves the page.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildForPage } from './build.mjs';
import { Explained, main, root } from './shell.mjs';
import { serve } from './serve.mjs';
import { setup } from './setup.mjs';

/** The port of the command line, or undefined. */
function wishedPort() {
  const { values } = parseArgs({ options: { port: { type: 'string' } } });
  if (values.port === undefined) return undefined;
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Explained(`--port ${values.port}: a port is a whole number from 0 to 65535.`);
  return port;
}

await main(async () => {
  const port = wishedPort();
  await buildForPage(await setup());
  const { address } = await serve(join(root, 'dist/site'), { port });
  console.log(`\nNormscope is at ${address}   (Ctrl+C stops it)`);
});
