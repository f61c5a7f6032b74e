/** normscope check: the report on a wiring, in words or as JSON. A wiring without bounds is an answer: exit code 0. */
import { sanityCheck, type SanityReport } from 'normscope';
import { analysis } from '../../web/locales/analysis.js';
import { formatCompact, formatNumber } from '../../web/locales/numbers.js';
import { wiring, type WiringMessages } from '../../web/locales/wiring.js';
import { type Command, requestOf, SPEC_OPTIONS } from './command.js';
import { json, print, ProgressLine, table } from './terminal.js';

export const checkCommand: Command = {
  options: { ...SPEC_OPTIONS, quick: 'flag' },
  async run(context) {
    const { given, language, interruption } = context;
    const { base, data, name } = requestOf(context, 'check');
    const line = new ProgressLine();
    const words = wiring[language];
    const report = await sanityCheck({
      ...{ spec: base, name, quick: given.flag('quick'), signal: interruption.signal },
      ...(data && { data }),
      onProgress: ({ fraction, stage }) => line.show(fraction, words.stages[stage]),
    }).finally(() => line.clear());
    print(given.flag('json') ? json(report) : inWords(report, words, analysis[language].places));
    return 0;
  },
};

type Words = WiringMessages['report'];
type Places = (typeof analysis)['en']['places'];
/** Numbers of a report are null where nothing was measured. */
type Measured = number | null;

function inWords(
  report: SanityReport,
  { report: words, stages: { training } }: WiringMessages,
  places: Places,
): string {
  const sections = [
    hamiltonian(report, words, places),
    sensitivity(report, words),
    growth(report, words),
    gradients(report, words),
    warmup(report, words),
    assumptions(report, words),
    theory(report, words),
    sweep(report, words),
    missing(report, words, training),
  ];
  return `${[report.name, ...sections].filter(Boolean).join('\n\n')}\n`;
}

/** The page tells of a box to tick where training is left out; here it is just training. */
function missing(
  { notMeasured, measuredOn: { nLayer, dModel } }: SanityReport,
  words: Words,
  training: string,
): string {
  const named: Record<string, string> = { ...words.missing, training };
  const list = notMeasured.map((code) => named[code] ?? code).join(', ');
  return [list && `${words.notMeasuredTitle}: ${list}`, words.onSize(String(nLayer), String(dModel))]
    .filter(Boolean)
    .join('\n');
}

const section = (title: string, ...lines: (string | false | null)[]): string =>
  [title, ...lines.filter(Boolean).map((line) => `  ${line as string}`)].join('\n');
const shown = (value: Measured, words: Words): string => (value === null ? words.notMeasured : formatCompact(value));
/** 0.4 and 1e-9 alike with two digits after the point. */
const slope = (value: number): string => formatNumber(value, { decimals: 2 }).replace('-', '−');
const verdict = (answer: boolean | null, yes: string, no: string, words: Words): string =>
  answer === null ? words.notMeasured : answer ? yes : no;

/** 'blocks.3.mlp.fc2' in words. */
function placeName(step: string, places: Places): string {
  const [, block = '', part] = /^blocks\.(\d+)\.(attn|mlp)?/.exec(step) ?? [];
  const number = String(Number(block) + 1);
  return part === 'attn' ? places.attention(number) : part === 'mlp' ? places.mlp(number) : places.block(number);
}

function hamiltonian(
  { hamiltonian: found, sensitivity: { step } }: SanityReport,
  words: Words,
  places: Places,
): string {
  const { bounded, byWiring, exponent, powerOverSupport, unboundedSteps } = found;
  const text = words.hamiltonian;
  const nStep = step.length;
  return section(
    `${text.title}: ${verdict(bounded, words.bounded, words.unbounded, words)}`,
    bounded !== null && (bounded ? text.bounded : text.unbounded),
    bounded === false && byWiring && text.unsure,
    exponent !== null && text.exponent(slope(exponent)),
    powerOverSupport !== null && text.ratio(formatCompact(powerOverSupport, 3)),
    unboundedSteps.length > 0 &&
      (unboundedSteps.length === nStep
        ? text.allSteps(String(nStep))
        : text.steps(unboundedSteps.map((step) => placeName(step, places)).join(', '))),
  );
}

function sensitivity({ sensitivity: found }: SanityReport, words: Words): string {
  const text = words.sensitivity;
  return section(
    `${text.title}: ${verdict(found.scaleInvariant, words.invariant, words.notInvariant, words)}`,
    found.scaleInvariant !== null && (found.scaleInvariant ? text.invariant : text.follows),
    found.exponent !== null && text.exponent(slope(found.exponent)),
    text.norms(shown(found.product, words), shown(found.wholeNet, words)),
  );
}

function growth({ growth: found }: SanityReport, words: Words): string {
  const text = words.growth;
  const { better, exponent, steps, variance } = found;
  return section(
    `${text.title}: ${found.bounded ? words.bounded : words.noBound}`,
    found.bounded ? text.bounded : text.unbounded,
    found.holds !== null && (found.holds ? text.holds : text.broken),
    better !== null && exponent !== null && text.fit[better](slope(exponent)),
    steps.length > 0 &&
      text.variance(steps.map((n, i) => text.atDepth(String(n), shown(variance[i] ?? null, words))).join(', ')),
  );
}

/** The larger of the two first and last blocks as a multiple of the other. */
const ratio = (value: number): string =>
  value >= 1 ? `${formatCompact(value, 3)} : 1` : `1 : ${formatCompact(1 / value, 3)}`;

function gradients({ gradientProfile }: SanityReport, words: Words): string {
  const { firstOverLast, nSeed, spread } = gradientProfile;
  const text = words.gradients;
  return section(
    `${text.title}: ${firstOverLast === null ? words.notMeasured : text.verdict(ratio(firstOverLast))}`,
    firstOverLast !== null && text.ratio(String(nSeed)),
    spread !== null && text.spread(formatCompact(spread, 3)),
  );
}

function warmup({ warmup: found, largestSafeRate, sweep: rates, trained }: SanityReport, words: Words): string {
  const text = words.warmup;
  const { learningRate, lossWithout, lossWith } = found;
  return section(
    `${text.title}: ${verdict(found.needed, text.needed, text.notNeeded, words)}`,
    learningRate !== null && text.rate(formatCompact(learningRate), shown(lossWithout, words), shown(lossWith, words)),
    largestSafeRate !== null ? text.safe(formatCompact(largestSafeRate)) : rates.length > 0 && text.noSafe,
    trained && text.small(String(trained.nLayer), String(trained.dModel), String(trained.steps)),
  );
}

const assumptions = ({ hamiltonian: { assumptions: codes } }: SanityReport, words: Words): string =>
  codes.length > 0 ? section(words.assumptions.title, ...codes.map((code) => words.assumptions[code])) : '';

function theory({ theory: lines }: SanityReport, words: Words): string {
  if (lines.length === 0) return '';
  const { what, predicted, measured, agrees } = words.heads;
  const rows = lines.map((each) => [
    words.theory[each.code],
    formatCompact(each.predicted),
    shown(each.measured, words),
    verdict(each.agrees, words.yes, words.no, words),
  ]);
  return `${words.theoryTitle}\n${table([what, predicted, measured, agrees], rows)}`;
}

function sweep({ sweep: rates }: SanityReport, words: Words): string {
  if (rates.length === 0) return '';
  const { rate, loss, maxAbs, verdict: head } = words.sweepHeads;
  const rows = rates.map((each) => [
    formatCompact(each.learningRate),
    shown(each.finalLoss, words),
    shown(each.maxAbs, words),
    words.sweepVerdicts[each.verdict],
  ]);
  return `${words.sweepTitle}\n${table([rate, loss, maxAbs, head], rows)}`;
}
