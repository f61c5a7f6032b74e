// "Is this stale?", decided by the contents of files, so that a touched file or a fresh clone rebuilds nothing needlessly.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './shell.mjs';

/** One hash over files and folders (paths from the root of the project); missing ones count as such. */
export function contentHash(paths) {
  const hash = createHash('sha256');
  for (const path of paths) addTo(hash, path);
  return hash.digest('hex');
}

function addTo(hash, path) {
  const full = join(root, path);
  const stat = statSync(full, { throwIfNoEntry: false });
  hash.update(`${path}\0`);
  if (!stat) return;
  if (stat.isFile()) hash.update(readFileSync(full));
  else for (const name of readdirSync(full).sort()) if (name !== 'node_modules') addTo(hash, join(path, name));
}

/**
 * Runs `body` unless `outputs` exist and `inputs` are those of the last time it succeeded. Returns whether it ran.
 * An interrupted or failed body leaves no stamp.
 */
export async function whenStale(name, { inputs, outputs }, body) {
  const stamp = join(root, 'build/stamps', name);
  const hash = contentHash(inputs);
  const fresh =
    existsSync(stamp) && readFileSync(stamp, 'utf8') === hash && outputs.every((path) => existsSync(join(root, path)));
  if (fresh) return false;
  rmSync(stamp, { force: true });
  await body();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
  return true;
}
