import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { sanityCheck, type ModelSpec, type SanityReport, type SanityStage, type TrainingData } from 'normscope';
import { analysis } from '../../locales/analysis.js';
import { errors } from '../../locales/errors.js';
import { placements } from '../../locales/placements.js';
import { wiring as texts, type WiringMessages } from '../../locales/wiring.js';
import { failureSentence } from '../failure.js';
import { LanguageController } from '../language-controller.js';
import { stepName } from '../residual-points.js';
import { reportView } from './report-view.js';
import { FREE_WIRING, wiringSpec, type Wiring, type WiringField } from './wiring.js';
import { wiringStyles } from './wiring-styles.js';
import { wiringView } from './wiring-view.js';

/**
 * An editor for a residual step of one's own, with the diagram that follows from it and a check of what it promises.
 *
 * @element normscope-wiring
 * @attr {string} lang - en or ko; without it the nearest `lang` around the element
 * @fires normscope-wiring - when the reader changed it; detail: the wiring
 * @fires normscope-checked - when a check has ended; detail: the package's report
 */
export class NormscopeWiring extends LitElement {
  static override properties = {
    wiring: { attribute: false },
    base: { attribute: false },
    data: { attribute: false },
    full: { type: Boolean },
    wrong: { state: true },
    report: { state: true },
    now: { state: true },
    error: { state: true },
    cancelled: { state: true },
  };
  static override styles = wiringStyles;

  declare wiring: Wiring;
  /** Size and training of the net around the wiring. */
  declare base: ModelSpec;
  /** What the check draws its batches from; without it the package's own chain of symbols. */
  declare data: (() => Promise<TrainingData | null>) | null;
  /** The check also trains a small model at several rates. */
  declare full: boolean;
  declare private wrong: ReadonlySet<WiringField>;
  declare private report: SanityReport | null;
  /** What the running check does; null while none runs. */
  declare private now: { fraction: number; stage: SanityStage | null } | null;
  declare private error: unknown;
  declare private cancelled: boolean;

  #language = new LanguageController(this);
  #abort: AbortController | null = null;
  /** The spec that the report is about, as text. */
  #checked = '';

  constructor() {
    super();
    this.wiring = FREE_WIRING;
    this.base = {};
    this.data = null;
    this.full = false;
    this.wrong = new Set();
    this.report = null;
    this.now = null;
    this.error = null;
    this.cancelled = false;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#abort?.abort();
    this.now = null;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('wiring') && !changed.has('wrong')) this.wrong = new Set();
  }

  get #spec(): ModelSpec {
    return { ...this.base, ...wiringSpec(this.wiring) };
  }

  /** Checks the wiring as it is. Settles when the report is there, or the check failed or was cancelled. */
  async check(): Promise<void> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    const spec = this.#spec;
    Object.assign(this, { now: { fraction: 0, stage: null }, error: null, cancelled: false });
    try {
      const data = await this.data?.();
      const onProgress = (progress: { fraction: number; stage: SanityStage }) => {
        if (!abort.signal.aborted) this.now = progress;
      };
      const quick = !this.full;
      const report = await sanityCheck({ spec, quick, onProgress, signal: abort.signal, ...(data ? { data } : {}) });
      if (abort.signal.aborted) return;
      this.report = report;
      this.#checked = JSON.stringify(spec);
      this.dispatchEvent(new CustomEvent('normscope-checked', { detail: report, bubbles: true, composed: true }));
    } catch (error) {
      if (!abort.signal.aborted) this.error = error;
    } finally {
      if (this.#abort === abort) this.now = null;
    }
  }

  cancel(): void {
    this.#abort?.abort();
    this.now = null;
    this.cancelled = true;
  }

  #change(wiring: Wiring): void {
    this.wiring = wiring;
    this.dispatchEvent(new CustomEvent('normscope-wiring', { detail: wiring, bubbles: true, composed: true }));
  }

  protected override render(): TemplateResult {
    const language = this.#language.value;
    const text = texts[language];
    return html`<section class="wiring" lang=${language} aria-label=${text.title}>
      <h3>${text.title}</h3>
      <p class="lead">${text.intro}</p>
      ${wiringView({
        text,
        rows: placements[language],
        wiring: this.wiring,
        wrong: this.wrong,
        onChange: (wiring) => this.#change(wiring),
        onWrong: (field) => (this.wrong = new Set(this.wrong).add(field)),
      })}
      ${this.#checkRow(text)} ${this.report ? this.#reportPart(text, this.report) : nothing}
    </section>`;
  }

  #checkRow(text: WiringMessages): TemplateResult {
    const { now, error } = this;
    const stage = now?.stage ? `: ${text.stages[now.stage]}` : ' …';
    return html`<div class="check-row">
        ${
          now
            ? html`<button @click=${() => this.cancel()}>${text.cancel}</button>
                <progress max="1" value=${now.fraction} aria-label=${text.progress}></progress>
                <span class="now">${text.checking}${stage}</span>`
            : html`<button @click=${() => void this.check()}>${text.check}</button>
                <label class="check">
                  <input
                    type="checkbox"
                    .checked=${this.full}
                    @change=${(event: Event) => (this.full = (event.target as HTMLInputElement).checked)}
                  />
                  <span>${text.full}</span>
                </label>
                ${this.cancelled ? html`<span class="now">${text.cancelled}</span>` : nothing}`
        }
        <span class="hidden" role="status">${this.report && !now ? text.done : nothing}</span>
      </div>
      ${
        error
          ? html`<p class="problem" role="alert">
              ${text.failed} ${failureSentence(errors[this.#language.value], error)}
            </p>`
          : nothing
      }`;
  }

  #reportPart(text: WiringMessages, report: SanityReport): TemplateResult {
    const { places } = analysis[this.#language.value];
    const outdated = this.#checked !== JSON.stringify(this.#spec);
    return html`${outdated ? html`<p class="hint changed">${text.outdated}</p>` : nothing}
    ${reportView(text, report, (step) => stepName(places, step))}`;
  }
}
