/** normscope sweep: a grid of runs, one line of JSON for each, written down as soon as it has ended. */
import { appendFileSync, existsSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import {
  checkRecipe,
  experiment,
  type ExperimentRecord,
  type ExperimentRequest,
  type Finding,
  identityOf,
  parseRecords,
  RECIPES,
  type RecipeRun,
  recordLine,
  summarize,
} from 'normscope';
import type { CliMessages } from '../../web/locales/cli.js';
import { formatCompact } from '../../web/locales/numbers.js';
import { UsageError } from './arguments.js';
import { type Command, type Context, countOf, DEFAULT_STEPS, requestOf, SPEC_OPTIONS, timeLeft, withOptions } from './command.js'; // prettier-ignore
import { FileError, recordsIn } from './request-file.js';
import { json, print, ProgressLine, table } from './terminal.js';

export const sweepCommand: Command = {
  options: {
    ...SPEC_OPTIONS,
    ...({ steps: 'text', out: 'text', shard: 'text', concurrency: 'text', recipe: 'text', thin: 'flag' } as const),
  },
  async run(context) {
    const { given, text, interruption } = context;
    const recipe = recipeOf(context);
    const order = recipe?.request ?? orderOf(context);
    const steps = countOf(context, 'steps') ?? order.steps;
    const out = given.text('out');
    const line = new ProgressLine();
    const sweep = experiment({
      ...order,
      ...changesOf(context, order),
      steps,
      shard: shardOf(context),
      concurrency: countOf(context, 'concurrency'),
      done: out === undefined ? [] : readDone(out),
      signal: interruption.signal,
      onRecord: (record) => (out === undefined ? print(recordLine(record)) : appendFileSync(out, recordLine(record))),
      onProgress: ({ fraction, nDone, nCell, secondsLeft }) =>
        line.show(fraction, text.progress.cells(String(nDone), String(nCell)) + timeLeft(secondsLeft, text)),
    });
    const records = await sweep.records.finally(() => line.clear());
    const { nDone, nCell } = sweep.progress;
    if (interruption.exitCode !== null) {
      const said = out === undefined ? text.sweepPrinted : text.sweepKept;
      process.stderr.write(`normscope: ${said(String(nDone), String(nCell))}\n`);
      return interruption.exitCode;
    }
    if (out !== undefined) finish(out, records, recipe, context);
    const nFailed = records.filter(({ verdict }) => verdict === 'failed').length;
    if (nFailed > 0) process.stderr.write(`normscope: ${text.sweep.failed(String(nFailed))}\n`);
    return nFailed > 0 ? 1 : 0;
  },
};

type Order = Pick<ExperimentRequest, 'base' | 'data' | 'grid' | 'steps' | 'mode' | 'evaluation' | 'keepCurve'>;

function orderOf(context: Context): Order {
  const { base, data, grid, steps = DEFAULT_STEPS, mode, evaluation, keepCurve } = requestOf(context, 'sweep');
  return { base, data, grid, steps, mode, evaluation, keepCurve };
}

/** What --set and --text change in a recipe; a file's request has them already. */
function changesOf({ given }: Context, { base = {}, data }: Order): Pick<Order, 'base' | 'data'> {
  const { base: changed, data: chosen } = withOptions({ base, ...(data && { data }), name: '' }, given);
  return { base: changed, ...(chosen && { data: chosen }) };
}

function recipeOf({ given, text }: Context): RecipeRun | null {
  const name = given.text('recipe');
  if (name === undefined) return null;
  if (given.positionals.length > 0) throw new UsageError(text.wrong.recipeAndFile);
  if (!Object.hasOwn(RECIPES, name)) throw new UsageError(text.wrong.recipe(name, Object.keys(RECIPES).join(', ')));
  return RECIPES[name as keyof typeof RECIPES][given.flag('thin') ? 'thin' : 'full'];
}

/** '2/8' counts from 1, as schedulers' users do. */
function shardOf({ given, text }: Context): { index: number; count: number } | undefined {
  const value = given.text('shard');
  if (value === undefined) return undefined;
  const [, part, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(value) ?? [];
  if (!part || Number(part) < 1 || Number(part) > Number(count)) throw new UsageError(text.wrong.shard(value));
  return { index: Number(part) - 1, count: Number(count) };
}

/** The records of an earlier call. A last line that was torn when that call was killed is cut off; no other file is touched. */
function readDone(file: string): ExperimentRecord[] {
  if (!existsSync(file)) {
    writeFileSync(file, '');
    return [];
  }
  const bytes = readFileSync(file);
  const whole = bytes.lastIndexOf('\n') + 1;
  const torn = bytes.subarray(whole).toString('utf8');
  const records = recordsIn(file, bytes.subarray(0, whole).toString('utf8'));
  if (!RECORD_START.startsWith(torn.slice(0, RECORD_START.length)))
    throw new FileError((words) => words.notRecords(file, torn.slice(0, 60)));
  if (torn) truncateSync(file, whole);
  return records;
}

const RECORD_START = '{"index":';

/** The file in grid order, as the unsplit sweep would leave it; a table of what the records say. */
function finish(out: string, records: ExperimentRecord[], recipe: RecipeRun | null, { given, text }: Context): void {
  sortFile(out, records, text);
  const findings = recipe && !given.text('shard') ? checkRecipe(recipe, records) : [];
  const summary = summarize(records);
  if (given.flag('json')) return print(json({ ...summary, ...(recipe && { findings }) }));
  const parts = [
    cellTable(summary, text),
    sensitivityTable(summary, text),
    findingTable(findings, text),
    text.sweep.wrote(String(records.length), out),
  ];
  print(`${parts.filter(Boolean).join('\n\n')}\n`);
}

/** Replaced in one move. A file that also holds other runs (another shard, an earlier sweep) stays as it is. */
function sortFile(out: string, records: ExperimentRecord[], { sweep }: CliMessages): void {
  const ours = new Set(records.map(identityOf));
  if (parseRecords(readFileSync(out, 'utf8')).some((record) => !ours.has(identityOf(record)))) {
    process.stderr.write(`normscope: ${sweep.others(out)}\n`);
    return;
  }
  const sorted = `${out}.${process.pid}.tmp`;
  writeFileSync(sorted, records.map(recordLine).join(''));
  renameSync(sorted, out);
}

type Summary = ReturnType<typeof summarize>;
const cellName = (cell: object): string =>
  Object.entries(cell)
    .filter(([field]) => field !== 'seed')
    .map(([field, value]) => (field === 'placement' ? String(value) : `${field} ${value}`))
    .join(', ') || '–';

function cellTable({ cells }: Summary, { sweep, none }: CliMessages): string {
  const rows = cells.map(({ cell, diverged, stalled, finalLoss, maxAbs }) => [
    cellName(cell),
    `${diverged.n}/${diverged.of}`,
    diverged.of > 0 ? `${percent(diverged.low)}–${percent(diverged.high)} %` : none,
    `${stalled.n}/${stalled.of}`,
    finalLoss.n > 0 ? formatCompact(finalLoss.mean) : none,
    formatCompact(maxAbs.most),
  ]);
  return table(sweep.heads, rows);
}

const percent = (share: number): string => String(Math.round(100 * share));

function sensitivityTable({ sensitivities }: Summary, { sweep }: CliMessages): string {
  if (sensitivities.length === 0) return '';
  const rows = sensitivities.map(({ cell, sensitivity, bestLearningRate }) => [
    cellName(cell),
    formatCompact(sensitivity),
    formatCompact(bestLearningRate),
  ]);
  return `${sweep.sensitivity}\n${table(sweep.sensitivityHeads, rows)}`;
}

function findingTable(findings: readonly Finding[], { sweep, yes, no, none }: CliMessages): string {
  if (findings.length === 0) return '';
  const number = (value: number | undefined): string => (value === undefined ? none : formatCompact(value));
  const rows = findings.map(({ code, least, most, measured, holds }) => [
    ...[code, number(least), number(most), number(measured), holds ? yes : no],
  ]);
  return `${sweep.findings}\n${table(sweep.findingHeads, rows)}`;
}
