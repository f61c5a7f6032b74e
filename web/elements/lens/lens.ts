import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { NormscopeError } from 'normscope';
import { errors, sentenceOf } from '../../locales/errors.js';
import { lens, type LensMessages } from '../../locales/lens.js';
import { parseVector } from '../../locales/parse.js';
import { LanguageController } from '../language-controller.js';
import { TouchGuard } from '../touch-guard.js';
import { compute, start, type LensAnswer, type Machine, type NormChoice } from './compute.js';
import { activeRows, type ActiveRow } from './active-rows.js';
import {
  originOf,
  paste,
  presetGrid,
  sameRows,
  withoutEdits,
  withValue,
  type Grid,
  type PasteOutcome,
} from './grid.js';
import { lensStyles } from './lens-styles.js';
import type { LensActions, LensView, PresetChoice } from './model.js';
import { PRESET_NAMES, PRESETS } from './presets.js';
import { explain } from './problems.js';
import { sliceOf } from './slice.js';
import { batchExperiments } from './view-batch.js';
import { bench } from './view-bench.js';
import { controls } from './view-controls.js';
import { devicePanel, hasWebGpu } from './view-device.js';
import { grids } from './view-grid.js';
import { histograms } from './view-histogram.js';
import { steps } from './view-steps.js';
import { dataTable } from './view-table.js';
import { presetNote, toolbar } from './view-toolbar.js';

/**
 * The LayerNorm lens: four tokens, their normalization step by step, and what another row does to them.
 *
 * @element normscope-lens
 * @attr {string} preset - course (default), outlier, constant, offset, heavy-tail or own
 * @attr {string} norm - layernorm (default), rmsnorm or batchnorm
 * @attr {string} device - wasm (default) or webgpu
 * @attr {string} lang - en or ko; without it the nearest `lang` around the element
 * @fires normscope-change - after each new answer; detail: { norm, x, y, mean, rstd } as plain arrays
 * @slot - shown until the element is defined
 */
export class NormscopeLens extends LitElement {
  static override properties = {
    preset: { reflect: true },
    norm: { reflect: true },
    device: { reflect: true },
    grid: { state: true },
    feature: { state: true },
    gamma: { state: true },
    beta: { state: true },
    eps: { state: true },
    alone: { state: true },
    padded: { state: true },
    answer: { state: true },
    machine: { state: true },
    fellBack: { state: true },
    problems: { state: true },
    draft: { state: true },
    pasteNote: { state: true },
  };
  static override styles = lensStyles;

  declare preset: PresetChoice;
  declare norm: NormChoice;
  declare device: 'wasm' | 'webgpu';
  declare private grid: Grid;
  declare private feature: number;
  declare private gamma: readonly number[];
  declare private beta: readonly number[];
  declare private eps: number;
  declare private alone: boolean;
  declare private padded: boolean;
  declare private answer: Answered | null;
  declare private machine: Machine | null;
  /** Why WebGPU was asked for and did not compute, in any language; null when all went as asked. */
  declare private fellBack: ((t: LensMessages) => string) | null;
  declare private problems: ReadonlyMap<string, string>;
  declare private draft: string;
  declare private pasteNote: string;

  #language = new LanguageController(this);
  #asked = 0;

  constructor() {
    super();
    new TouchGuard(this);
    this.preset = 'course';
    this.norm = 'layernorm';
    this.device = 'wasm';
    this.feature = 0;
    this.eps = 1e-5;
    this.alone = false;
    this.padded = false;
    this.answer = null;
    this.machine = null;
    this.fellBack = null;
    this.problems = new Map();
    this.draft = '';
    this.pasteNote = '';
    this.#adopt(presetGrid('course'));
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('preset') && isPreset(this.preset)) this.#loadPreset();
    if (changed.has('device')) void this.#startDevice();
    const inputs = ['grid', 'norm', 'gamma', 'beta', 'eps', 'alone', 'padded', 'device'];
    if (inputs.some((name) => changed.has(name))) void this.#ask();
  }

  /** A new grid of another width starts with γ = 1 and β = 0. */
  #adopt(grid: Grid): void {
    const width = grid.rows[0]?.length ?? 0;
    if (this.gamma?.length !== width) {
      this.gamma = new Array<number>(width).fill(this.gamma ? (this.gamma[0] ?? 1) : 1);
      this.beta = new Array<number>(width).fill(this.beta ? (this.beta[0] ?? 0) : 0);
    }
    this.feature = Math.min(this.feature, width - 1);
    this.grid = grid;
    this.draft = '';
  }

  #loadPreset(): void {
    if (this.preset === 'own' || this.grid.rows === PRESETS[this.preset]) return;
    this.#adopt(presetGrid(this.preset));
    this.pasteNote = '';
    this.problems = new Map();
  }

  async #startDevice(): Promise<void> {
    const wish = this.device;
    if (wish === 'webgpu' && !hasWebGpu()) return this.#fallBack((t) => t.device.noGpu);
    try {
      const machine = await start(wish);
      if (this.device !== wish) return;
      this.machine = machine;
      if (machine.device !== wish) this.#fallBack((t) => t.device.noGpu);
    } catch (error) {
      if (wish === 'webgpu') this.#fallBack((t) => t.device.gpuFailed(messageOf(error)));
      else this.#report('device', this.#sentence(error));
    }
  }

  #fallBack(reason: (t: LensMessages) => string): void {
    this.device = 'wasm';
    this.fellBack = reason;
  }

  /** Only the latest question may answer: a slow answer to an old one is dropped. */
  async #ask(): Promise<void> {
    const ticket = ++this.#asked;
    const active = this.#activeRows();
    const shared = { kind: this.norm, gamma: this.gamma, beta: this.beta, eps: this.eps, device: this.device };
    try {
      const [now, reference] = await Promise.all([
        compute({ ...shared, rows: active.map((row) => row.values) }),
        compute({ ...shared, rows: this.grid.untouched }),
      ]);
      if (ticket !== this.#asked) return;
      this.answer = { now, reference: reference.y, active, norm: this.norm };
      this.#report('core', null);
      this.#announce(now, active);
    } catch (error) {
      if (ticket === this.#asked) this.#report('core', this.#sentence(error));
    }
  }

  #announce(answer: LensAnswer, active: ActiveRow[]): void {
    const detail = { norm: this.norm, x: active.map((row) => [...row.values]), ...answer };
    this.dispatchEvent(new CustomEvent('normscope-change', { detail, bubbles: true, composed: true }));
  }

  #activeRows(): ActiveRow[] {
    return activeRows(this.grid, { alone: this.alone, padded: this.padded, padding: this.#t.grid.padding });
  }

  get #t() {
    return lens[this.#language.value];
  }
  get #wrong() {
    return errors[this.#language.value];
  }

  #sentence(error: unknown): string {
    const code = error instanceof NormscopeError ? error.code : 'other';
    return code === 'other' ? this.#wrong.core(messageOf(error)) : sentenceOf(this.#wrong, code);
  }

  #report(field: string, problem: string | null): void {
    if ((this.problems.get(field) ?? null) === problem) return;
    const next = new Map(this.problems);
    if (problem === null) next.delete(field);
    else next.set(field, problem);
    this.problems = next;
  }

  readonly #act: LensActions = {
    choosePreset: (preset) => {
      this.preset = preset;
    },
    chooseKind: (kind) => {
      this.norm = kind;
    },
    selectToken: (selected) => {
      this.grid = { ...this.grid, selected };
      this.draft = '';
    },
    selectFeature: (feature) => {
      this.feature = feature;
    },
    setValue: (feature, value, dragged) => {
      if (value !== this.grid.rows[this.grid.selected]?.[feature]) this.preset = 'own';
      this.grid = withValue(this.grid, feature, value, dragged);
      this.draft = '';
      this.#report(`x-${feature}`, null);
    },
    setGain: (value) => {
      this.gamma = this.gamma.map(() => value);
      this.#report('gamma', null);
    },
    setShift: (value) => {
      this.beta = this.beta.map(() => value);
      this.#report('beta', null);
    },
    setEps: (value) => {
      this.eps = value;
      this.#report('eps', null);
    },
    setVector: (which, text) => this.#setVector(which, text),
    setAlone: (on) => {
      this.alone = on;
    },
    setPadded: (on) => {
      this.padded = on;
    },
    draftPaste: (text) => {
      this.draft = text;
    },
    applyPaste: (text) => this.#take(paste(this.grid, text)),
    reset: () => {
      this.grid = withoutEdits(this.grid);
      this.preset = originOf(this.grid);
      this.problems = new Map([...this.problems].filter(([field]) => !field.startsWith('x-')));
      this.draft = '';
    },
    report: (field, problem) => this.#report(field, problem),
  };

  #take(outcome: PasteOutcome): void {
    this.pasteNote = '';
    if (outcome.kind === 'refused') return this.#report('paste', explain(this.#wrong, outcome.problem));
    this.#report('paste', null);
    this.preset = 'own';
    this.#adopt(outcome.grid);
    const { filled, done, count } = this.#t.paste;
    const read = outcome.count === undefined ? [] : [count(String(outcome.count))];
    this.pasteNote = [...read, outcome.kind === 'grid' && outcome.filled ? filled : done].join(' ');
  }

  #setVector(which: 'gamma' | 'beta', text: string): void {
    const field = `${which}-vector`;
    const width = this.gamma.length;
    const parsed = parseVector(text, width + 1);
    if (parsed.kind === 'error') return this.#report(field, explain(this.#wrong, parsed));
    const values = parsed.kind === 'rows' ? parsed.rows.flat() : parsed.values;
    const full = values.length === 1 ? new Array<number>(width).fill(values[0] as number) : values;
    const problem = full.length === width ? null : this.#t.controls.length(String(width), String(full.length));
    this.#report(field, problem);
    if (problem === null) this[which] = full;
  }

  /** False while the answer on hand belongs to a grid of another width or without the selected token. */
  #fits(active: ActiveRow[]): boolean {
    const sameWidth = active[0]?.values.length === this.gamma.length;
    return sameWidth && active.some((row) => row.token === this.grid.selected);
  }

  #view(): LensView {
    const { answer, norm: kind } = this;
    const usable = answer !== null && answer.norm === kind && this.#fits(answer.active);
    const active = usable ? answer.active : this.#activeRows();
    const place = active.findIndex((row) => row.token === this.grid.selected);
    const now = usable ? answer.now : null;
    const request = { kind, rows: active.map((row) => row.values), names: active.map((row) => row.name) };
    return {
      language: this.#language.value,
      t: this.#t,
      wrong: this.#wrong,
      preset: this.preset,
      grid: this.grid,
      kind,
      feature: this.feature,
      gamma: this.gamma,
      beta: this.beta,
      eps: this.eps,
      alone: this.alone,
      padded: this.padded,
      active,
      place,
      answer: now,
      reference: now ? (answer?.reference ?? null) : null,
      slice: now
        ? sliceOf({ ...request, gamma: this.gamma, beta: this.beta, answer: now, row: place, feature: this.feature })
        : null,
      touched: this.grid.rows !== this.grid.untouched && !sameRows(this.grid.rows, this.grid.untouched),
      problems: this.problems,
      draft: this.draft,
      pasteNote: this.pasteNote,
    };
  }

  protected override render() {
    const view = this.#view();
    const core = this.problems.get('core');
    return html`<article lang=${view.language} aria-label=${view.t.title}>
      ${toolbar(view, this.#act)} ${presetNote(view)}
      ${core ? html`<p class="problem" role="alert">${core}</p>` : nothing}
      ${grids(view, this.#act, batchExperiments(view, this.#act))} ${bench(view, this.#act)} ${steps(view)}
      ${controls(view, this.#act)} ${histograms(view)} ${dataTable(view)}
      ${devicePanel(
        {
          t: view.t,
          wish: this.device,
          machine: this.machine,
          fellBack: this.fellBack?.(view.t) ?? '',
          problem: this.problems.get('device') ?? '',
        },
        (device) => {
          this.#report('device', null);
          this.fellBack = null;
          this.device = device;
        },
      )}
    </article>`;
  }
}

interface Answered {
  now: LensAnswer;
  reference: number[][];
  active: ActiveRow[];
  norm: NormChoice;
}

function isPreset(name: string): name is PresetChoice {
  return name === 'own' || (PRESET_NAMES as string[]).includes(name);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
