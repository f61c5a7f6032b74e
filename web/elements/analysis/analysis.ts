import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { analysis as texts, type AnalysisMessages, type ThemeName } from '../../locales/analysis.js';
import { errors } from '../../locales/errors.js';
import { LanguageController } from '../language-controller.js';
import { segments } from '../segments-view.js';
import { Analyser } from './analyser.js';
import { analysisStyles } from './analysis-styles.js';
import { failureSentence } from '../failure.js';
import { placeOf } from './figure.js';
import { figureView } from './figure-view.js';
import { inLanguage, type AnalysedNet, type AnalysisOrder } from './subjects.js';
import { figuresOf, THEME_NAMES } from './themes.js';

/**
 * Takes nets apart: growth, sensitivity, Hamiltonian, uncertainty, depth, weights – measured, beside what theory bounds.
 *
 * @element normscope-analysis
 * @attr {string} lang - en or ko; without it the nearest `lang` around the element
 * @fires normscope-analysed - when all nets are done; detail: the package's analyses
 */
export class NormscopeAnalysis extends LitElement {
  static override properties = {
    order: { attribute: false },
    currentStep: { attribute: false },
    theme: { attribute: false },
    step: { state: true },
    net: { state: true },
  };
  static override styles = analysisStyles;

  /** Asked when the reader presses the button: which nets, and which data; null where there is nothing to analyse. */
  declare order: (() => Promise<AnalysisOrder | null>) | null;
  /** Steps that the runs have done by now; null without runs. */
  declare currentStep: number | null;
  declare theme: ThemeName;
  declare private step: number;
  /** Net of the ellipsoid; −1: the first that has one. */
  declare private net: number;

  #language = new LanguageController(this);
  #analyser = new Analyser(() => this.requestUpdate());

  constructor() {
    super();
    this.order = null;
    this.currentStep = null;
    this.theme = 'forward';
    this.step = 0;
    this.net = -1;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#analyser.cancel();
  }

  get phase(): Analyser['state']['phase'] {
    return this.#analyser.state.phase;
  }

  /** Analyses what `order` gives. Settles when it is done, failed or was cancelled. */
  async run(): Promise<void> {
    const { order } = this;
    if (!order) return;
    this.step = 0;
    this.net = -1;
    await this.#analyser.run(order);
    if (this.phase !== 'done') return;
    const detail = this.#analyser.state.nets.map(({ analysis }) => analysis);
    this.dispatchEvent(new CustomEvent('normscope-analysed', { detail, bubbles: true, composed: true }));
  }

  cancel(): void {
    this.#analyser.cancel();
  }

  get #text(): AnalysisMessages {
    return texts[this.#language.value];
  }

  get #nets(): AnalysedNet[] {
    return this.#analyser.state.nets.map((subject) => inLanguage(subject, this.#language.value));
  }

  protected override render(): TemplateResult {
    const text = this.#text;
    const { nets, phase } = this.#analyser.state;
    return html`<section class="analysis" lang=${this.#language.value} aria-label=${text.title}>
      <h3>${text.title}</h3>
      <p class="lead">${text.intro}</p>
      ${this.#runRow()}
      ${nets.length ? this.#results() : html`<p class="empty inset">${phase === 'running' ? text.preparing : text.empty}</p>`}
    </section>`;
  }

  #runRow(): TemplateResult {
    const text = this.#text;
    const { phase, nets, now, error } = this.#analyser.state;
    const running = phase === 'running';
    return html`<div class="run-row">
        ${
          running
            ? html`<button @click=${() => this.cancel()}>${text.cancel}</button>
                <progress max="1" value=${now?.fraction ?? 0} aria-label=${text.progress}></progress>`
            : html`<button @click=${() => void this.run()}>${nets.length ? text.again : text.run}</button>`
        }
        <span class="now">${this.#nowText()}</span>
        <span class="hidden" role="status">${phase === 'done' ? text.done : nothing}</span>
      </div>
      ${
        phase === 'failed'
          ? html`<p class="problem" role="alert">
              ${text.failed} ${failureSentence(errors[this.#language.value], error)}
            </p>`
          : nothing
      }`;
  }

  #nowText(): string {
    const text = this.#text;
    const { phase, now, nets, step, broken } = this.#analyser.state;
    if (phase === 'running') {
      if (!now?.part || !now.name) return text.preparing;
      return text.working(
        now.name[this.#language.value],
        text.parts[now.part],
        String(now.index + 1),
        String(now.total),
      );
    }
    const parts = phase === 'cancelled' ? [text.cancelled] : [];
    if (nets.length) parts.push(step ? text.ofTrained(String(step)) : text.ofFresh);
    if (nets.length && this.currentStep !== null && this.currentStep !== step) parts.push(text.outdated);
    if (broken.length) parts.push(text.notFinite(broken.map((name) => name[this.#language.value]).join(', ')));
    return parts.join(' ');
  }

  #results(): TemplateResult {
    const text = this.#text;
    const nets = this.#nets;
    const withBody = nets.findIndex(({ analysis }) => analysis.hamiltonian?.ellipsoid);
    const choice = { step: this.step, net: this.net < 0 ? withBody : this.net };
    const themes = THEME_NAMES.map((name) => [name, text.themes[name].name] as const);
    return html`${segments(text.themeLabel, 'theme', themes, this.theme, (theme) => (this.theme = theme))}
      <p class="theme-intro">${text.themes[this.theme].intro}</p>
      ${this.theme === 'control' ? this.#controlChoices(choice.net) : nothing}
      ${this.theme === 'weights' ? this.#followRow() : nothing}
      <div class="figures">
        ${figuresOf(this.theme, text, nets, choice).map((figure) => figureView(text, figure))}
      </div>`;
  }

  #followRow(): TemplateResult {
    const text = this.#text;
    return html`<div class="choice-row">
      <button class="small" ?disabled=${this.phase === 'running'} @click=${() => void this.#analyser.follow()}>
        ${text.follow}
      </button>
      <span class="hint">${text.followNote}</span>
    </div>`;
  }

  /** Which step's Hamiltonian, and which net's ellipsoid. */
  #controlChoices(net: number): TemplateResult {
    const text = this.#text;
    const nets = this.#nets;
    const points = nets[0]?.analysis.points.slice(1) ?? [];
    const bodies = nets.flatMap(({ name, analysis }, i) => (analysis.hamiltonian?.ellipsoid ? [{ name, i }] : []));
    return html`<div class="choice-row">
      <label>
        ${text.stepChoice}
        <select @change=${(event: Event) => (this.step = Number((event.target as HTMLSelectElement).value))}>
          ${points.map((point, i) => html`<option value=${i} ?selected=${i === this.step}>${placeOf(text, point)}</option>`)}
        </select>
      </label>
      ${
        bodies.length
          ? html`<label>
              ${text.runChoice}
              <select @change=${(event: Event) => (this.net = Number((event.target as HTMLSelectElement).value))}>
                ${bodies.map(({ name, i }) => html`<option value=${i} ?selected=${i === net}>${name}</option>`)}
              </select>
            </label>`
          : html`<span class="hint">${text.ellipsoid.none}</span>`
      }
    </div>`;
  }
}
