// npm test [-- --only cpp,checks,node,browser] [-- --sanitize]: sets up, builds, runs every test, closes with one count.
import { mkdirSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { buildAll } from './build.mjs';
import { buildPreset } from './cmake.mjs';
import { checkImports, checkIncludes, checkTypes } from './lint.mjs';
import { Explained, main, root } from './shell.mjs';
import { setup, toolEnvironment } from './setup.mjs';

const PARTS = ['cpp', 'checks', 'node', 'browser'];
const results = join(root, 'build/test-results');

/** Runs a program, shows its output except lines that match `boring`, and returns { code, output }. */
function runRecorded(command, args, tools, boring = null) {
  const env = { ...process.env, ...toolEnvironment(tools) };
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  if (boring) createInterface({ input: child.stdout }).on('line', (line) => !boring.test(line) && console.log(line));
  child.stdout.on('data', (chunk) => {
    if (!boring) process.stdout.write(chunk);
    output += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Explained(`${command} could not be started: ${error.message}`)));
    child.on('close', (code) => resolve({ code, output }));
  });
}

const CTEST_PASSED = /^ *(?:Start +\d+: |\d+\/\d+ Test +#\d+: .* Passed )/;

/** A part that failed without a failing test (a crash, a file that does not load) counts as one failure. */
const count = (code, passed, failed, skipped = 0) => ({
  passed,
  failed: code !== 0 && failed === 0 ? 1 : failed,
  skipped,
});

async function testCpp(tools, preset = 'native') {
  await buildPreset(preset, `the C++ tests (${preset})`, tools);
  const { code, output } = await runRecorded('ctest', ['--preset', preset], tools, CTEST_PASSED);
  const [, failed, total] = /(\d+) tests failed out of (\d+)/.exec(output) ?? [0, 0, 0];
  return count(code, total - failed, Number(failed));
}

/** Types, import boundaries and include boundaries: promises of the design, so part of the tests. */
async function testChecks() {
  const checks = { 'include boundaries': checkIncludes, 'import boundaries': checkImports, types: checkTypes };
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`✓ ${name}`);
      sum.passed++;
    } catch (error) {
      console.log(`✗ ${name}\n${error.message}`);
      sum.failed++;
    }
  }
  return sum;
}

async function testVitest(tools, projects) {
  const file = join(results, 'vitest.json');
  rmSync(file, { force: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { code } = await runRecorded(
    process.execPath,
    [vitest, 'run', ...reporters, ...projects.flatMap((name) => ['--project', name])],
    tools,
  );
  if (!existsSync(file)) return count(code || 1, 0, 0);
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const unloaded = report.testResults.filter(
    (suite) => suite.status === 'failed' && suite.assertionResults.length === 0,
  ).length;
  return count(
    code,
    report.numPassedTests,
    report.numFailedTests + unloaded,
    report.numPendingTests + report.numTodoTests,
  );
}

function options() {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, sanitize: { type: 'boolean', default: false } },
  });
  const only = values.only?.split(',') ?? PARTS;
  const unknown = only.find((part) => !PARTS.includes(part));
  if (unknown) throw new Explained(`--only ${unknown}: the parts are ${PARTS.join(', ')}.`);
  return { has: (part) => only.includes(part), sanitize: values.sanitize };
}

await main(async () => {
  const { has, sanitize } = options();
  const tools = await setup({ test: true });
  await buildAll(tools);
  mkdirSync(results, { recursive: true });
  const sums = [];
  if (has('cpp')) sums.push(await testCpp(tools));
  if (sanitize) sums.push(await testCpp(tools, 'native-sanitize'));
  if (has('checks')) sums.push(await testChecks());
  const projects = [...(has('node') ? ['node'] : []), ...(has('browser') ? ['webgpu', 'no-webgpu'] : [])];
  if (projects.length) sums.push(await testVitest(tools, projects));
  const total = (key) => sums.reduce((sum, part) => sum + part[key], 0);
  console.log(`\n${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped`);
  process.exitCode = total('failed') > 0 || total('passed') === 0 ? 1 : 0;
});
