// A small static server for dist/site: right types, readable from any origin, never from outside its folder.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { Explained } from './shell.mjs';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.ico': 'image/x-icon',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/**
 * Serves a folder on this machine only. A wished-for port that is taken is an error; else the next free one from
 * `firstPort` on is used. Returns { address, close }.
 */
export async function serve(folder, { port, firstPort = 8080 } = {}) {
  const server = createServer((request, response) => answer(folder, request, response));
  if (port !== undefined) {
    if (!(await listen(server, port)))
      throw new Explained(
        `Port ${port} is in use. Stop the other program, or choose another: npm start -- --port ${port + 1}`,
      );
  } else {
    port = firstPort;
    while (!(await listen(server, port))) {
      console.log(`Port ${port} is in use; trying ${port + 1}.`);
      if (++port > firstPort + 20) throw new Explained('No free port found; name one: npm start -- --port 9000');
    }
  }
  return { address: `http://localhost:${server.address().port}/`, close: () => server.close() };
}

function listen(server, port) {
  return new Promise((resolve, reject) => {
    const failed = (error) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(new Explained(`Port ${port}: ${error.message}`));
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', failed);
      resolve(true);
    });
  });
}

function answer(folder, request, response) {
  const file = fileOf(folder, request.url ?? '/');
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
  };
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return void response.writeHead(405, { ...headers, Allow: 'GET, HEAD' }).end();
  if (file?.redirect) return void response.writeHead(301, { ...headers, Location: file.redirect }).end();
  if (!file)
    return void response
      .writeHead(404, { ...headers, 'Content-Type': 'text/plain; charset=utf-8' })
      .end('There is no such file.\n');
  const type = TYPES[extname(file.path)] ?? 'application/octet-stream';
  // Hashed names never change their content; everything else is asked for again each time.
  const cache = /[/\\]assets[/\\]/.test(file.path) ? 'public, max-age=31536000, immutable' : 'no-cache';
  response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': file.size, 'Cache-Control': cache });
  if (request.method === 'HEAD') return void response.end();
  createReadStream(file.path)
    .on('error', () => response.destroy())
    .pipe(response);
}

/** { path, size } of the file behind a URL, { redirect } for a folder without its slash, null for what is not there. */
function fileOf(folder, url) {
  let name;
  try {
    name = decodeURIComponent(url.split(/[?#]/, 1)[0]);
  } catch {
    return null;
  }
  let path = normalize(join(folder, name));
  if (name.includes('\0') || (path !== folder && !path.startsWith(folder + sep))) return null;
  let stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    if (!name.endsWith('/')) return { redirect: `./${name.split('/').at(-1)}/` };
    path = join(path, 'index.html');
    stat = statSync(path, { throwIfNoEntry: false });
  }
  return stat?.isFile() ? { path, size: stat.size } : null;
}
