import { html, nothing, type TemplateResult } from 'lit';
import { sparkBars } from '../../charts/bars.js';
import type { FormulaName } from '../../../build/generated/formulas.js';
import { formula } from '../../formulas/formula.js';
import { formatCompact, formatRead, formatVector } from '../../locales/numbers.js';
import type { LensView } from './model.js';
import { featureName, moments, shortcutVariance, type Slice } from './slice.js';

const DIGITS = 4;
const SHOWN = 8;

interface Step {
  title: string;
  formula: FormulaName;
  numbers: string;
  note?: string;
  bars?: readonly number[];
}

/** The arithmetic of the selected row (or column), one line per step. */
export function steps(view: LensView): TemplateResult | typeof nothing {
  const { t, slice, language } = view;
  if (!slice) return nothing;
  const list = slice.kind === 'rmsnorm' ? rmsSteps(view, slice) : centredSteps(view, slice);
  const whose =
    slice.kind === 'batchnorm'
      ? t.steps.ofColumn(featureName(view.feature))
      : t.steps.ofRow(view.active[view.place]?.name ?? '');
  return html`<section class="steps" aria-labelledby="steps-heading">
    <h3 id="steps-heading">${t.steps.heading} <span class="aside">${whose}</span></h3>
    <ol>
      ${list.map(
        (step) =>
          html`<li>
            <h4>${step.title}</h4>
            <div class="symbols">${formula(step.formula, language)}</div>
            <div class="numbers">
              <p>${step.numbers}</p>
              ${step.note ? html`<p class="why">${step.note}</p>` : nothing}
            </div>
            ${step.bars ? spark(step.bars, list) : html`<span class="spark"></span>`}
          </li>`,
      )}
    </ol>
  </section>`;
}

/** One scale for all steps, so that dividing shows; the vector's own where it would vanish on the common one. */
function spark(values: readonly number[], all: readonly Step[]): TemplateResult {
  const own = sizeOf(values);
  const common = Math.max(...all.map((step) => sizeOf(step.bars ?? [])));
  const size = (common > 6 * own ? own : common) * 1.05;
  const drawn = sparkBars({ values, domain: [-size, size], width: 120, height: 44 });
  return html`<svg class="spark" aria-hidden="true" viewBox="0 0 120 44" preserveAspectRatio="xMidYMid meet">
    ${drawn}
  </svg>`;
}

function sizeOf(values: readonly number[]): number {
  return values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 1e-6);
}

function centredSteps(view: LensView, slice: Slice): Step[] {
  const { t } = view;
  const column = slice.kind === 'batchnorm';
  const n = slice.x.length;
  const centred = slice.x.map((value) => value - slice.mean);
  const { variance } = moments(centred);
  const squares = variance * n;
  return [
    {
      title: t.steps.mean,
      formula: column ? 'bn-mean' : 'ln-mean',
      numbers: `μ = (${sum(slice.x, view)}) / ${n} = ${formatRead(slice.mean, DIGITS)}`,
    },
    {
      title: t.steps.centred,
      formula: column ? 'bn-centred' : 'centred',
      numbers: vector(centred, view),
      bars: centred,
    },
    {
      title: t.steps.sigma,
      formula: column ? 'bn-sigma' : 'ln-sigma',
      numbers: `σ = √(${compactFixed(squares)} / ${n}) = √${compactFixed(variance)} = ${formatRead(Math.sqrt(variance), DIGITS)}`,
      note: shortcutNote(view, slice, variance) ?? (column ? t.steps.divisorColumn : t.steps.divisor),
    },
    {
      title: t.steps.normalized,
      formula: column ? 'bn-normalized' : 'normalized',
      numbers: `x̂ = ${vector(slice.xHat, view)}`,
      note: t.steps.epsilon(formatCompact(view.eps), formatCompact(1 / slice.rstd, 5)),
      bars: slice.xHat,
    },
    {
      title: t.steps.affine,
      formula: column ? 'bn-affine' : 'affine',
      numbers: affineText(view, slice),
      note: t.steps.learned,
      bars: slice.y,
    },
  ];
}

function rmsSteps(view: LensView, slice: Slice): Step[] {
  const { t } = view;
  const n = slice.x.length;
  const squares = slice.x.reduce((total, value) => total + value * value, 0);
  return [
    {
      title: t.steps.rms,
      formula: 'rms',
      numbers: `rms = √(${compactFixed(squares)} / ${n}) = ${compactFixed(Math.sqrt(squares / n))}`,
    },
    {
      title: t.steps.normalized,
      formula: 'rms-normalized',
      numbers: `x̂ = ${vector(slice.xHat, view)}`,
      note: t.steps.epsilonRms(formatCompact(view.eps), formatCompact(1 / slice.rstd, 5)),
      bars: slice.xHat,
    },
    {
      title: t.steps.affine,
      formula: 'rms-affine',
      numbers: affineText(view, slice),
      note: t.steps.learnedGain,
      bars: slice.y,
    },
  ];
}

function affineText(view: LensView, slice: Slice): string {
  const gain = uniform(slice.gamma);
  const shift = uniform(slice.beta);
  const y = `y = ${vector(slice.y, view)}`;
  if (gain === null || shift === null) return y;
  const plus = slice.kind === 'rmsnorm' ? '' : ` + ${formatCompact(shift)}`;
  return `y = ${formatCompact(gain)} × x̂${plus} = ${vector(slice.y, view)}`;
}

function uniform(values: readonly number[]): number | null {
  const first = values[0] ?? 0;
  return values.every((value) => value === first) ? first : null;
}

/** Only where |μ| is so much larger than σ that the textbook shortcut loses its digits. */
function shortcutNote(view: LensView, slice: Slice, variance: number): string | null {
  if (Math.abs(slice.mean) < 300 * Math.sqrt(variance) || variance === 0) return null;
  const wrong = shortcutVariance(slice.x);
  return view.t.steps.shortcut(formatRead(wrong, DIGITS), formatRead(variance, DIGITS));
}

function sum(values: readonly number[], view: LensView): string {
  const shown = values.slice(0, SHOWN).map((value, index) => {
    const text = formatCompact(Math.abs(value), 7);
    if (index === 0) return value < 0 ? `−${text}` : text;
    return value < 0 ? ` − ${text}` : ` + ${text}`;
  });
  return shown.join('') + rest(values.length, view);
}

function vector(values: readonly number[], view: LensView): string {
  if (values.length <= SHOWN) return formatVector(values, DIGITS);
  const inner = formatVector(values.slice(0, SHOWN), DIGITS).slice(0, -1);
  return `${inner}${rest(values.length, view)}]`;
}

function rest(count: number, view: LensView): string {
  return count > SHOWN ? `, ${view.t.steps.more(String(count - SHOWN))}` : '';
}

function compactFixed(value: number): string {
  return Math.abs(value) < 1e6 && (value === 0 || Math.abs(value) >= 1e-3)
    ? formatRead(value, DIGITS)
    : formatCompact(value, 5);
}
