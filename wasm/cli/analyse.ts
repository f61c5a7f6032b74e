/** normscope analyse: what the analysis measures on a fresh or trained model, as tables or as JSON. */
import { analyse, type AnalysisPart, type Snapshot } from 'normscope';
import { analysis as messages } from '../../web/locales/analysis.js';
import { analysisTables } from './analysis-tables.js';
import { nearest, UsageError } from './arguments.js';
import { type Command, type Context, countOf, requestOf, SPEC_OPTIONS } from './command.js';
import { readSnapshot, type RequestFile } from './request-file.js';
import { trainOne } from './run.js';
import { json, print, ProgressLine } from './terminal.js';

const PARTS = Object.keys(messages.en.parts);

export const analyseCommand: Command = {
  options: { ...SPEC_OPTIONS, steps: 'text', parts: 'text', from: 'text' },
  async run(context) {
    const { given, language, text, interruption } = context;
    const parts = partsOf(context);
    const request = requestOf(context, 'analyse');
    const snapshot = await stateOf(context, request);
    const line = new ProgressLine();
    const found = await analyse({
      ...{ spec: request.base, signal: interruption.signal },
      ...(request.data && { data: request.data }),
      ...(parts && { parts }),
      ...(snapshot && { snapshot }),
      onProgress: ({ fraction, part }) => line.show(fraction, messages[language].parts[part]),
    }).finally(() => line.clear());
    print(given.flag('json') ? json(found) : analysisTables(found, request.name, messages[language].parts, text));
    return 0;
  },
};

function partsOf({ given, text }: Context): AnalysisPart[] | undefined {
  const names = given.text('parts')?.split(',');
  for (const name of names ?? [])
    if (!PARTS.includes(name)) throw new UsageError(text.wrong.parts(name, nearest(name, PARTS)));
  return names as AnalysisPart[] | undefined;
}

/** The parameters to analyse: of a file, of a run that is made now, or none for fresh ones. */
async function stateOf(context: Context, request: RequestFile): Promise<Snapshot | undefined> {
  const { given, text } = context;
  const from = given.text('from');
  const steps = countOf(context, 'steps');
  if (from !== undefined && steps !== undefined) throw new UsageError(text.wrong.both('--from', '--steps'));
  if (from !== undefined) return readSnapshot(from);
  return steps === undefined ? undefined : (await trainOne(context, request, steps)).snapshot;
}
