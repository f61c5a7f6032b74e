/** The report of a check in words: what the wiring promises, what was measured, where the two meet. */
import { html, nothing, type TemplateResult } from 'lit';
import type { SanityReport } from 'normscope';
import { formatCompact, formatSlope } from '../../locales/numbers.js';
import type { WiringMessages } from '../../locales/wiring.js';
import { tableView } from '../table-view.js';

type Words = WiringMessages['report'];

export function reportView(
  text: WiringMessages,
  report: SanityReport,
  placeName: (step: string) => string,
): TemplateResult {
  const words = text.report;
  const { nLayer, dModel } = report.measuredOn;
  return html`<div class="report">
    <h4>${words.title}</h4>
    <p class="hint">${words.intro} ${words.onSize(String(nLayer), String(dModel))}</p>
    <div class="cards">
      ${hamiltonianCard(words, report, placeName)} ${sensitivityCard(words, report)} ${growthCard(words, report)}
      ${gradientCard(words, report)} ${warmupCard(words, report)}
    </div>
    ${assumptions(words, report)} ${theoryTable(words, report)} ${sweepTable(words, report)}
    ${notMeasured(words, report)}
  </div>`;
}

type Tone = 'good' | 'open' | 'unknown';

/** A verdict in two words, and the sentences it rests on. */
function card(title: string, verdict: string, tone: Tone, sentences: readonly (string | null)[]): TemplateResult {
  const told = sentences.filter((sentence): sentence is string => sentence !== null);
  return html`<section class="card">
    <h5>${title}</h5>
    <p class="verdict ${tone}">${verdict}</p>
    ${told.map((sentence) => html`<p>${sentence}</p>`)}
  </section>`;
}

function number(value: number | null, form = (known: number) => formatCompact(known, 3)): string | null {
  return value === null || Number.isNaN(value) ? null : form(value);
}

/** A sentence about a number, unless it was not measured. */
function about(value: string | null, sentence: (value: string) => string): string | null {
  return value === null ? null : sentence(value);
}

function verdict(w: Words, answer: boolean | null, yes: string, no: string): string {
  return answer === null ? w.notMeasured : answer ? yes : no;
}

function tone(answer: boolean | null): Tone {
  return answer === null ? 'unknown' : answer ? 'good' : 'open';
}

function hamiltonianCard(w: Words, { hamiltonian: h, sensitivity }: SanityReport, placeName: (step: string) => string) {
  const n = sensitivity.step.length;
  const steps = h.unboundedSteps;
  const names =
    steps.length === n ? w.hamiltonian.allSteps(String(n)) : w.hamiltonian.steps(steps.map(placeName).join(', '));
  return card(w.hamiltonian.title, verdict(w, h.bounded, w.bounded, w.unbounded), tone(h.bounded), [
    h.bounded === null ? null : h.bounded ? w.hamiltonian.bounded : w.hamiltonian.unbounded,
    h.bounded === false && h.byWiring ? w.hamiltonian.unsure : null,
    about(number(h.exponent, formatSlope), w.hamiltonian.exponent),
    about(number(h.powerOverSupport), w.hamiltonian.ratio),
    steps.length ? names : null,
  ]);
}

function sensitivityCard(w: Words, { sensitivity: s }: SanityReport) {
  const [product, net] = [number(s.product), number(s.wholeNet)];
  return card(w.sensitivity.title, verdict(w, s.scaleInvariant, w.invariant, w.notInvariant), tone(s.scaleInvariant), [
    s.scaleInvariant === null ? null : s.scaleInvariant ? w.sensitivity.invariant : w.sensitivity.follows,
    about(number(s.exponent, formatSlope), w.sensitivity.exponent),
    product !== null && net !== null ? w.sensitivity.norms(product, net) : null,
  ]);
}

function growthCard(w: Words, { growth: g }: SanityReport) {
  const fit = g.better && g.exponent !== null ? w.growth.fit[g.better](formatSlope(g.exponent)) : null;
  const list = g.steps.flatMap(
    (steps, i) => about(number(g.variance[i] ?? null), (v) => w.growth.atDepth(String(steps), v)) ?? [],
  );
  return card(w.growth.title, g.bounded ? w.bounded : w.noBound, g.bounded ? 'good' : 'open', [
    g.bounded ? w.growth.bounded : w.growth.unbounded,
    g.holds === null ? null : g.holds ? w.growth.holds : w.growth.broken,
    fit,
    list.length ? w.growth.variance(list.join(', ')) : null,
  ]);
}

function gradientCard(w: Words, { gradientProfile: p }: SanityReport) {
  const ratio = number(p.firstOverLast, (known) =>
    known >= 1 ? `${formatCompact(known, 3)} : 1` : `1 : ${formatCompact(1 / known, 3)}`,
  );
  return card(w.gradients.title, about(ratio, w.gradients.verdict) ?? w.notMeasured, 'unknown', [
    about(ratio && String(p.nSeed), w.gradients.ratio),
    about(number(p.spread), w.gradients.spread),
  ]);
}

function warmupCard(w: Words, { warmup, largestSafeRate, trained }: SanityReport) {
  const { needed, learningRate, lossWithout, lossWith } = warmup;
  const verdict = needed === null ? w.notMeasured : needed ? w.warmup.needed : w.warmup.notNeeded;
  const loss = (value: number | null) => number(value, (known) => known.toFixed(3)) ?? w.sweepVerdicts['non-finite'];
  const safe = about(number(largestSafeRate), w.warmup.safe) ?? (trained ? w.warmup.noSafe : null);
  return card(w.warmup.title, verdict, needed === null ? 'unknown' : needed ? 'open' : 'good', [
    learningRate === null ? null : w.warmup.rate(String(learningRate), loss(lossWithout), loss(lossWith)),
    safe,
    trained && w.warmup.small(String(trained.nLayer), String(trained.dModel), String(trained.steps)),
  ]);
}

function assumptions(w: Words, { hamiltonian }: SanityReport): TemplateResult | typeof nothing {
  const codes = hamiltonian.assumptions;
  if (!codes.length) return nothing;
  return html`<h5>${w.assumptions.title}</h5>
    <ul>
      ${codes.map((code) => html`<li>${w.assumptions[code] ?? code}</li>`)}
    </ul>`;
}

/** What theory bounds rather than predicts. */
const LIMITS: ReadonlySet<string> = new Set(['variance-bound', 'uncertainty-bound', 'lemma-1']);

function theoryTable(w: Words, { theory }: SanityReport): TemplateResult | typeof nothing {
  if (!theory.length) return nothing;
  const { what, predicted, measured, agrees } = w.heads;
  const rows = theory.map((line) => [
    w.theory[line.code] ?? line.code,
    `${LIMITS.has(line.code) ? '≤ ' : ''}${number(line.predicted) ?? '–'}`,
    number(line.measured) ?? w.notMeasured,
    line.agrees === null ? w.notMeasured : line.agrees ? `✓ ${w.yes}` : `✗ ${w.no}`,
  ]);
  return tableView({ caption: w.theoryTitle, heads: [what, predicted, measured, agrees], rows });
}

function sweepTable(w: Words, { sweep }: SanityReport): TemplateResult | typeof nothing {
  if (!sweep.length) return nothing;
  const { rate, loss, maxAbs, verdict } = w.sweepHeads;
  const rows = sweep.map((run) => [
    String(run.learningRate),
    number(run.finalLoss, (known) => known.toFixed(3)) ?? '–',
    number(run.maxAbs) ?? '–',
    w.sweepVerdicts[run.verdict],
  ]);
  return tableView({ caption: w.sweepTitle, heads: [rate, loss, maxAbs, verdict], rows });
}

function notMeasured(w: Words, { notMeasured: codes }: SanityReport): TemplateResult | typeof nothing {
  if (!codes.length) return nothing;
  return html`<p class="hint">
    ${w.notMeasuredTitle}: ${codes.map((code) => (w.missing as Record<string, string>)[code] ?? code).join(', ')}
  </p>`;
}
