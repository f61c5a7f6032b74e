// Lint rules; the import boundaries below are the ones that the design promises.
import tseslint from 'typescript-eslint';

const forbid = (...rules) => ['error', { patterns: rules.map(([regex, message]) => ({ regex, message })) }];
const TESTS = [String.raw`(^|/)tests/`, 'nothing imports tests'];
const CORE = [String.raw`build/wasm`, 'only wasm/runtime/core-files.ts touches the Emscripten output'];
const WASM_SOURCES = [String.raw`^\.\.?/.*\bwasm/`, "web sees the package only as 'normscope'"];
const WEB = [String.raw`(^|/)web/`, 'the package knows nothing of web'];
const OWN_ELEMENTS = [String.raw`elements/|^normscope`, 'charts and locales import nothing of ours'];

export default tseslint.config(
  { ignores: ['build/', 'dist/', '**/node_modules/'] },
  ...tseslint.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-expressions': ['error', { allowShortCircuit: true, allowTernary: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-restricted-imports': forbid(TESTS, CORE),
    },
  },
  { files: ['wasm/**'], rules: { 'no-restricted-imports': forbid(TESTS, CORE, WEB) } },
  {
    files: ['wasm/cli/**'],
    rules: {
      'no-restricted-imports': forbid(
        TESTS,
        CORE,
        [String.raw`web/(?!locales/)`, 'the command line uses web/locales, nothing else of web'],
        [
          String.raw`^(\.\./)+(wasm/)?(worker|experiments|analysis|toolchain|kernels|runtime/(?!(checks|spec)\.js$))`,
          "the command line sees the package as 'normscope', and beside that only the names of runtime/checks and spec",
        ],
      ),
    },
  },
  { files: ['wasm/runtime/core-files.ts'], rules: { 'no-restricted-imports': forbid(TESTS, WEB) } },
  { files: ['wasm/toolchain/**'], rules: { 'no-restricted-imports': 'off' } },
  {
    files: ['web/**'],
    ignores: ['web/**/*.test.ts', 'web/**/*.config.ts'],
    rules: { 'no-restricted-imports': forbid(TESTS, CORE, WASM_SOURCES) },
  },
  {
    files: ['web/charts/**', 'web/locales/**'],
    ignores: ['**/*.test.ts'],
    rules: { 'no-restricted-imports': forbid(TESTS, CORE, WASM_SOURCES, OWN_ELEMENTS) },
  },
  { files: ['tests/**', '**/*.test.ts'], rules: { 'no-restricted-imports': 'off' } },
);
