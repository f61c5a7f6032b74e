import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { ModelSpec, TrainingData } from 'normscope';
import { errors } from '../../locales/errors.js';
import { memory as texts, type MemoryMessages } from '../../locales/memory.js';
import { failureSentence } from '../failure.js';
import { LanguageController } from '../language-controller.js';
import { segments } from '../segments-view.js';
import { adapterLimits, footprintOf, type Footprint, type GpuLimits } from './footprint.js';
import { memoryStyles } from './memory-styles.js';
import { memoryView, nameOf } from './memory-view.js';
import { orderOf, SIZES, type SizeName } from './sizes.js';

const BATCHES = ['1', '4', '16'] as const;

/**
 * What training takes: parameters and memory of a model beside GPT-2's four sizes, and what each device can hold.
 *
 * @element normscope-memory
 * @attr {string} lang - en or ko; without it the nearest `lang` around the element
 * @fires normscope-planned - when all sizes are planned; detail: their numbers
 */
export class NormscopeMemory extends LitElement {
  static override properties = {
    // The lab hands over a fresh object with every picture; what counts is what it says.
    spec: {
      attribute: false,
      hasChanged: (now: unknown, before: unknown) => JSON.stringify(now) !== JSON.stringify(before),
    },
    data: { attribute: false },
    batch: { state: true },
    footprints: { state: true },
    now: { state: true },
    failure: { state: true },
  };
  static override styles = memoryStyles;

  /** The reader's own model; its wiring is that of all sizes. */
  declare spec: ModelSpec;
  /** What gives the reader's own model its vocabulary; without it the package's own chain of symbols. */
  declare data: (() => Promise<TrainingData | null>) | null;
  /** Sequences per batch of the GPT-2 sizes. */
  declare private batch: (typeof BATCHES)[number];
  declare private footprints: readonly Footprint[];
  /** What is being planned; null when nothing is. */
  declare private now: SizeName | null;
  declare private failure: { size: SizeName; error: unknown } | null;

  #language = new LanguageController(this);
  #limits: GpuLimits | null = null;
  /** What the sizes on show were planned for, as text. */
  #planned = '';

  constructor() {
    super();
    this.spec = {};
    this.data = null;
    this.batch = '1';
    this.footprints = [];
    this.now = null;
    this.failure = null;
  }

  /** Plans all sizes, one after the other, with a pause for the page between them. Settles when that is done. */
  async plan(): Promise<void> {
    const { spec } = this;
    this.#planned = this.#wanted;
    Object.assign(this, { footprints: [], failure: null, now: SIZES[0] });
    const data = (await this.data?.()) ?? { kind: 'markov' as const };
    this.#limits = await adapterLimits();
    for (const size of SIZES) {
      this.now = size;
      await breath();
      await this.#planOne(size, spec, data);
    }
    this.now = null;
    const detail = this.footprints;
    this.dispatchEvent(new CustomEvent('normscope-planned', { detail, bubbles: true, composed: true }));
  }

  async #planOne(size: SizeName, spec: ModelSpec, data: TrainingData): Promise<void> {
    try {
      const footprint = await footprintOf(size, orderOf(size, spec, data, Number(this.batch)), this.#limits);
      this.footprints = [...this.footprints, footprint];
    } catch (error) {
      this.failure ??= { size, error };
    }
  }

  get #wanted(): string {
    return JSON.stringify([this.spec, this.batch]);
  }

  protected override render(): TemplateResult {
    const language = this.#language.value;
    const text = texts[language];
    const { footprints, now } = this;
    const view = { text, language, footprints, ownLimits: this.#limits !== null };
    return html`<section class="memory" lang=${language} aria-label=${text.title}>
      <h3>${text.title}</h3>
      <p class="lead">${text.intro}</p>
      ${this.#planRow(text)} ${this.#failureView(text)}
      ${footprints.length ? memoryView(view) : now || this.failure ? nothing : html`<p class="hint">${text.empty}</p>`}
    </section>`;
  }

  #planRow(text: MemoryMessages): TemplateResult {
    const { now, footprints } = this;
    const outdated = footprints.length > 0 && this.#planned !== this.#wanted;
    const state = now
      ? text.planning(nameOf(text, now), String(SIZES.indexOf(now) + 1), String(SIZES.length))
      : outdated
        ? text.outdated
        : '';
    return html`<div class="plan-row">
      <fieldset class="choices">
        <legend>${text.batch}</legend>
        ${segments(
          text.batch,
          'batch',
          BATCHES.map((batch) => [batch, batch] as const),
          this.batch,
          (batch) => (this.batch = batch),
        )}
      </fieldset>
      <button ?disabled=${now !== null} @click=${() => void this.plan()}>
        ${footprints.length ? text.again : text.plan}
      </button>
      <span class="now">${state}</span>
      <span class="hidden" role="status">${footprints.length && !now ? text.done : nothing}</span>
    </div>`;
  }

  #failureView(text: MemoryMessages): TemplateResult | typeof nothing {
    const { failure } = this;
    if (!failure) return nothing;
    const sentence = failureSentence(errors[this.#language.value], failure.error);
    return html`<p class="problem" role="alert">${text.failed(nameOf(text, failure.size), sentence)}</p>`;
  }
}

/** Lets the page draw and answer before the next plan is made. */
function breath(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30));
}
