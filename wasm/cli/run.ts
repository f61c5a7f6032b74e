/** normscope run: one model, one record. */
import { writeFileSync } from 'node:fs';
import { experiment, type ExperimentRecord, recordLine, type Snapshot } from 'normscope';
import type { CliMessages } from '../../web/locales/cli.js';
import { formatCompact } from '../../web/locales/numbers.js';
import { type Command, type Context, countOf, DEFAULT_STEPS, requestOf, SPEC_OPTIONS, timeLeft } from './command.js';
import type { RequestFile } from './request-file.js';
import { print, ProgressLine, table } from './terminal.js';

export const runCommand: Command = {
  options: { ...SPEC_OPTIONS, steps: 'text', save: 'text' },
  async run(context) {
    const { given, text } = context;
    const request = requestOf(context, 'run');
    const steps = countOf(context, 'steps') ?? request.steps ?? DEFAULT_STEPS;
    const { record, snapshot } = await trainOne(context, request, steps);
    if (!record) return 1;
    print(given.flag('json') ? recordLine(record) : report(record, request.name, text));
    const save = given.text('save');
    if (save !== undefined && snapshot) writeSnapshot(save, snapshot);
    return record.verdict === 'failed' ? 1 : 0;
  },
};

/** Of one run: nothing when it was interrupted, no snapshot when it could not begin. */
export async function trainOne(
  { text, interruption }: Context,
  { base, data, evaluation, keepCurve }: RequestFile,
  steps: number,
): Promise<{ record?: ExperimentRecord; snapshot?: Snapshot }> {
  const line = new ProgressLine();
  let snapshot: Snapshot | undefined;
  const run = experiment({
    base,
    steps,
    signal: interruption.signal,
    ...(data && { data }),
    ...(evaluation && { evaluation }),
    ...(keepCurve !== undefined && { keepCurve }),
    onSnapshot: (_, last) => {
      snapshot = last;
    },
    onProgress: ({ fraction, running, secondsLeft }) => {
      const step = running[0]?.step ?? 0;
      line.show(fraction, text.progress.run(String(step), String(steps)) + timeLeft(secondsLeft, text));
    },
  });
  const [record] = await run.records.finally(() => line.clear());
  if (!record) process.stderr.write(`normscope: ${text.nothingKept}\n`);
  return { record, snapshot };
}

/** Numbers as JSON: float32 values come back bit by bit. */
function writeSnapshot(file: string, { tensors, ...rest }: Snapshot): void {
  const arrays = Object.fromEntries(Object.entries(tensors).map(([name, values]) => [name, Array.from(values)]));
  writeFileSync(file, JSON.stringify({ ...rest, tensors: arrays }));
}

function report(record: ExperimentRecord, name: string, text: CliMessages): string {
  const { run } = text;
  const [reason] = record.reasons;
  const where = [reason?.where, reason?.quantity].filter(Boolean).join(' ');
  const place = reason?.step === undefined ? '' : ` (${run.at(String(reason.step), where)})`;
  const message = reason?.message ? `\n${reason.message}` : '';
  const rows = [
    [run.finalLoss, formatCompact(record.finalLoss)],
    [`${run.bestLoss} (${run.at(String(record.bestStep), '')})`, formatCompact(record.bestLoss)],
    [run.unigramLoss, formatCompact(record.unigramLoss)],
    [run.maxAbs, formatCompact(record.maxAbs)],
    ...(record.passedHalfRange === null ? [] : [[run.passedHalfRange, String(record.passedHalfRange)]]),
    [run.variance, formatCompact(record.stream.entryVariance)],
    [run.lrTimesWidth, formatCompact(record.lrTimesWidth)],
    [run.nParameter, String(record.nParameter)],
    ...(record.heldOut
      ? [[run.heldOut, `${formatCompact(record.heldOut.loss)}, ${formatCompact(record.heldOut.perplexity)}`]]
      : []),
  ];
  const numbers = record.verdict === 'failed' ? '' : `\n${table(rows[0]!, rows.slice(1))}`;
  return `${run.title(name, String(record.steps))}\n${run.verdict[record.verdict]}${place}${message}${numbers}\n`;
}
