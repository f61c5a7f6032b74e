import type { TrainingData } from 'normscope';
import { html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import { lab as texts, type LabMessages } from '../../locales/lab.js';
import { LanguageController } from '../language-controller.js';
import { PrintController } from '../print-controller.js';
import { TouchGuard } from '../touch-guard.js';
import { orderOfRuns, orderOfSettings } from './analysis-order.js';
import { Announcer } from './announcer.js';
import type { HeatQuantity, LabView, Quantity } from './chart-models.js';
import { curvesView } from './charts-view.js';
import { curvesCsv, profilesCsv } from './csv.js';
import { downloadText } from './download.js';
import { FrameGate } from './frame-gate.js';
import { heatView } from './heat-view.js';
import { bringIntoView } from './bring-into-view.js';
import { LabCharts } from './lab-charts.js';
import { labStyles } from './lab-styles.js';
import { errors } from '../../locales/errors.js';
import { parseWish, type Wish } from './machine.js';
import { machineView } from './machine-view.js';
import { failureView } from './notes-view.js';
import { noticeHistory, noticesView } from './notices-view.js';
import { profileView } from './profile-view.js';
import type { FieldDraft } from './setting-field.js';
import {
  EXPERIMENTS,
  experimentOf,
  RECIPE,
  settingProblems,
  toRuns,
  type ExperimentName,
  type LabSettings,
  type NumericSetting,
  type SettingProblem,
  type TextSource,
} from './settings.js';
import { problemText, settingsView } from './settings-view.js';
import { refusalText, sourceView } from './source-view.js';
import { studyView } from './study-view.js';
import { tablesView } from './tables-view.js';
import { readFile, trainingData, type TextRefusal } from './text-source.js';
import { asFailure, TrainingLab, type LabPhase } from './training-lab.js';
import { experimentsView, transportView } from './transport-view.js';
import { findings, verdictView } from './verdict-view.js';
import { placementName, progressWords } from './wording.js';

/** From this width on (CSS pixels) the settings stand beside the charts. */
const WIDE = 900;

/**
 * The stability lab: trains one small transformer with several norm placements at once and shows which stays bounded.
 *
 * @element normscope-stability-lab
 * @attr {string} lang - en or ko; without it the nearest `lang` around the element
 * @attr {string} device - auto (default), wasm or webgpu: where the next run computes
 * @fires normscope-device - when the reader chose where to compute; detail: auto, wasm or webgpu
 * @fires normscope-run - when training starts; detail: the settings
 * @fires normscope-verdict - when all runs have ended; detail: the package's verdicts
 * @slot - shown until the element is defined
 */
export class NormscopeStabilityLab extends LitElement {
  static override properties = {
    settings: { attribute: false },
    device: { reflect: true, converter: { fromAttribute: parseWish } },
    ownText: { attribute: false },
    fileName: { state: true },
    refusal: { state: true },
    refused: { state: true },
    drafts: { state: true },
    quantity: { state: true },
    heatQuantity: { state: true },
    log: { state: true },
    shownStep: { state: true },
    hover: { state: true },
    tablesOpen: { state: true },
    noticesClosed: { state: true },
  };
  static override styles = labStyles;

  /** What the next run will use. `source` follows the page's language until the reader chooses one. */
  declare settings: LabSettings;
  /** Where the next run computes; an experiment leaves it as it is. */
  declare device: Wish;
  declare ownText: string;
  declare private fileName: string | null;
  declare private refusal: TextRefusal | null;
  /** The last attempt to run was refused before it reached the package. */
  declare private refused: boolean;
  declare private drafts: ReadonlyMap<NumericSetting, FieldDraft>;
  declare private quantity: Quantity;
  declare private heatQuantity: HeatQuantity;
  declare private log: boolean;
  declare private shownStep: number | null;
  declare private hover: number | null;
  declare private tablesOpen: boolean;
  /** How many messages about the machine the reader has closed. */
  declare private noticesClosed: number;

  #language = new LanguageController(this);
  #lab = new TrainingLab({
    onPhase: (phase) => this.#phaseChanged(phase),
    onData: () => this.#frames.ask(),
    onNotice: () => this.requestUpdate(),
  });
  #frames = new FrameGate(() => this.#newFrame());
  #announcer = new Announcer((words) => this.#say(words));
  #charts: LabCharts | null = null;
  #sourceChosen = false;
  /** There is something that the charts do not show yet. */
  #stale = true;
  /** Settings and device of the run on screen, as text. */
  #ran = '';
  #ranWith: TrainingData | null = null;

  constructor() {
    super();
    new TouchGuard(this);
    new PrintController(this, () => this.#charts?.refresh());
    this.settings = { ...RECIPE, source: 'declaration-en' };
    this.device = 'auto';
    this.ownText = '';
    this.fileName = null;
    this.refusal = null;
    this.refused = false;
    this.drafts = new Map();
    this.quantity = 'meanAbs';
    this.heatQuantity = 'maxAbs';
    this.log = true;
    this.shownStep = null;
    this.hover = null;
    this.tablesOpen = false;
    this.noticesClosed = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#lab.reset();
    this.#frames.cancel();
    this.#charts?.destroy();
    this.#charts = null;
  }

  /** Where the experiment stands. */
  get phase(): LabPhase {
    return this.#lab.phase;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('ownText') && !changed.has('refusal')) this.refusal = null;
    if ((changed.has('ownText') || changed.has('settings')) && !changed.has('refused')) this.refused = false;
    if (this.#sourceChosen || this.#lab.active) return;
    const source: TextSource = this.#language.value === 'ko' ? 'declaration-ko' : 'declaration-en';
    if (this.settings.source !== source) this.settings = { ...this.settings, source };
  }

  protected override firstUpdated(): void {
    const panel = this.renderRoot.querySelector<HTMLDetailsElement>('.settings');
    if (panel) panel.open = this.clientWidth >= WIDE || this.clientWidth === 0;
  }

  protected override updated(changed: PropertyValues): void {
    if (!this.isConnected) return;
    this.#charts ??= new LabCharts(this.renderRoot, {
      onHover: (step) => (this.hover = step),
      onPick: (step) => (this.shownStep = step),
    });
    if (changed.size === 1 && changed.has('hover') && !this.#stale) return;
    this.#stale = false;
    this.#charts.draw(this.#view, { quantity: this.quantity, log: this.log, heatQuantity: this.heatQuantity });
  }

  get #text(): LabMessages {
    return texts[this.#language.value];
  }

  get #view(): LabView {
    const { records, verdicts, totalSteps } = this.#lab;
    const paused = this.#lab.phase === 'paused';
    return { text: this.#text, records, verdicts, totalSteps, shownStep: this.shownStep, paused };
  }

  protected override render(): TemplateResult {
    const text = this.#text;
    const view = this.#view;
    return html`<article lang=${this.#language.value} aria-label=${text.title}>
      <div class="training">
        ${experimentsView(text, experimentOf(this.settings), (name) => void this.#runExperiment(name))}
        ${this.#transport()} ${this.#machine()}
        ${failureView(text, errors[this.#language.value], this.#lab.failure, this.#lab.stepsDone > 0)}
        <p class="spoken hidden" role="status" aria-live="polite"></p>
        <div class="columns">
          <details class="settings">
            <summary>${text.settingsTitle}</summary>
            ${this.#settingsPanel()}
          </details>
          <div class="results">
            ${curvesView(view, this.hover)} ${verdictView(view, this.#lab.active ? [] : findings(view))}
            ${profileView({
              view,
              quantity: this.quantity,
              log: this.log,
              stepsDone: this.#lab.stepsDone,
              onQuantity: (quantity) => (this.quantity = quantity),
              onLog: (log) => (this.log = log),
              onStep: (step) => (this.shownStep = step),
            })}
            ${heatView(view, this.heatQuantity, (quantity) => (this.heatQuantity = quantity))}
            ${tablesView({
              view,
              quantity: this.quantity,
              open: this.tablesOpen,
              onToggle: (open) => (this.tablesOpen = open),
              onDownload: (which) => this.#download(which),
            })}
          </div>
        </div>
      </div>
      ${studyView({
        text,
        settings: this.settings,
        doneSteps: this.#lab.records.length ? this.#lab.stepsDone : null,
        order: this.#order,
        data: this.#quietData,
        onWiring: (wiring) => this.#change({ wiring }),
      })}
    </article>`;
  }

  #transport(): TemplateResult {
    const { phase, stepsDone, totalSteps, pace, records } = this.#lab;
    return transportView({
      text: this.#text,
      phase,
      done: stepsDone,
      total: totalSteps,
      secondsLeft: pace.secondsLeft(totalSteps),
      refused: this.refused,
      notices: noticesView({ ...this.#noticed, onClose: () => (this.noticesClosed = this.#lab.notices.length) }),
      inline: records.some(({ info }) => info.thread === 'inline'),
      onRun: () => void this.run(),
      onPause: () => void this.#lab.pause(),
      onResume: () => void this.#lab.resume(),
      onStep: () => void (this.#lab.active ? this.#lab.step() : this.run({ paused: true })),
      onStop: () => void this.#lab.stop(),
      onReset: () => this.reset(),
    });
  }

  get #noticed() {
    const { notices, records } = this.#lab;
    return { text: this.#text, language: this.#language.value, notices, records, closed: this.noticesClosed };
  }

  #machine(): TemplateResult {
    const { phase, records, planned, pooledPace } = this.#lab;
    const history = noticeHistory(this.#noticed);
    const words = { text: this.#text, language: this.#language.value, wish: this.device };
    return machineView({ ...words, phase, records, planned, pace: pooledPace, history });
  }

  #settingsPanel(): TemplateResult {
    const text = this.#text;
    const changed = this.#lab.records.length > 0 && this.#ran !== '' && this.#ran !== this.#wanted;
    return html`<div class="settings-body">
      ${settingsView({
        text,
        settings: this.settings,
        drafts: this.drafts,
        changed,
        wish: this.device,
        onWish: (wish) => this.#chooseDevice(wish),
        onChange: (change) => this.#change(change),
        onDraft: (name, draft) => (this.drafts = new Map(this.drafts).set(name, draft)),
        onCompare: () => bringIntoView(this.renderRoot.querySelector('.all-placements tbody')),
      })}
      ${sourceView({
        text,
        language: this.#language.value,
        source: this.settings.source,
        own: this.ownText,
        fileName: this.fileName,
        refusal: this.refusal,
        onSource: (source) => this.#chooseSource(source),
        onOwn: (own) => this.#takeText(own, null),
        onFile: (file) => void this.#takeFile(file),
      })}
    </div>`;
  }

  /** What the next run will be, as text. */
  get #wanted(): string {
    return JSON.stringify([this.settings, this.device]);
  }

  #chooseDevice(device: Wish): void {
    this.device = device;
    this.#forgetFailure();
    this.dispatchEvent(new CustomEvent('normscope-device', { detail: device, bubbles: true, composed: true }));
  }

  #change(change: Partial<LabSettings>): void {
    this.settings = { ...this.settings, ...change };
    this.#forgetFailure();
    const drafts = new Map(this.drafts);
    for (const name of Object.keys(change)) drafts.delete(name as NumericSetting);
    this.drafts = drafts;
  }

  #chooseSource(source: TextSource): void {
    this.#sourceChosen = true;
    this.refusal = null;
    this.#change({ source });
  }

  #takeText(own: string, fileName: string | null): void {
    this.ownText = own;
    this.fileName = fileName;
    this.refusal = null;
    this.#forgetFailure();
  }

  /** What was refused is not what would run now. */
  #forgetFailure(): void {
    this.refused = false;
    if (this.#lab.phase === 'failed' && this.#lab.records.length === 0) this.#lab.reset();
  }

  async #takeFile(file: File): Promise<void> {
    const text = await readFile(file);
    if (typeof text === 'string') this.#takeText(text, file.name);
    else this.refusal = text;
  }

  async #runExperiment(name: ExperimentName): Promise<void> {
    this.drafts = new Map();
    this.settings = { ...EXPERIMENTS[name], source: this.settings.source };
    await this.run();
  }

  /** Runs the settings as they are; `paused` does one step and waits. Settles when training has begun or was refused. */
  async run({ paused = false } = {}): Promise<void> {
    const { settings } = this;
    this.refused = false;
    if (!settings.placements.length) return void (await this.#refuse(this.#text.noPlacement));
    const [problem] = settingProblems(settings);
    if (problem) return void (await this.#refuse(problemText(this.#text, settings, problem), problem));
    this.shownStep = null;
    this.hover = null;
    const data = await this.#data();
    if (!data) return;
    this.#ran = this.#wanted;
    this.noticesClosed = 0;
    this.#ranWith = data;
    this.dispatchEvent(new CustomEvent('normscope-run', { detail: { ...settings }, bubbles: true, composed: true }));
    const { device } = this;
    await this.#lab.start({ runs: toRuns(settings), data, steps: settings.steps, device, paused });
    if (paused) await this.#lab.step();
  }

  /** Says so in the bar, which is always in view, and shows the sentence where it stands. */
  async #refuse(words: string, problem?: SettingProblem): Promise<null> {
    this.refused = true;
    this.#announcer.say(`${this.#text.transport.refused}. ${words}`);
    await this.updateComplete;
    const at = problem ? `#setting-${problem.name}` : '.choices .problem';
    bringIntoView(this.renderRoot.querySelector(at));
    return null;
  }

  /** What the analysis and the check of a wiring draw their batches from; they leave the runs alone. */
  #quietData = async (): Promise<TrainingData | null> => {
    const data = await trainingData(this.settings.source, this.ownText);
    if (!('code' in data)) return data;
    this.refusal = data;
    return this.#refuse(refusalText(this.#text, data, this.#language.value));
  };

  #order = async () => {
    if (this.#lab.stepsDone > 0 && this.#ranWith) return orderOfRuns(this.#lab, this.#ranWith);
    if (!this.settings.placements.length) return this.#refuse(this.#text.noPlacement);
    const data = await this.#quietData();
    return data && orderOfSettings(this.settings, data);
  };

  async #data() {
    try {
      const data = await trainingData(this.settings.source, this.ownText);
      if (!('code' in data)) return data;
      this.#lab.reset();
      this.refusal = data;
      void this.#refuse(refusalText(this.#text, data, this.#language.value));
    } catch (error) {
      this.#lab.reset();
      this.#lab.fail({ code: 'text', message: asFailure(error).message });
    }
    return null;
  }

  /** Stops and clears everything but the settings. */
  reset(): void {
    this.#lab.reset();
    this.refused = false;
    this.refusal = null;
    this.shownStep = null;
    this.hover = null;
    this.#announcer.say(this.#text.announce.reset);
  }

  #phaseChanged(phase: LabPhase): void {
    const { announce, failure } = this.#text;
    if (phase === 'running' && this.#lab.stepsDone === 0) {
      const names = [...new Set(this.#lab.records.map((record) => placementName(this.#text, record)))].join(', ');
      this.#announcer.say(announce.started(names, String(this.#lab.totalSteps)));
    }
    if (phase === 'paused') this.#announcer.say(announce.paused);
    if (phase === 'running' && this.#lab.stepsDone > 0) this.#announcer.say(announce.resumed);
    if (phase === 'failed') this.#failed(this.#lab.stepsDone > 0 ? failure.later : failure.title);
    if (phase === 'ended') this.#ended();
    this.#stale = true;
    this.requestUpdate();
  }

  #failed(title: string): void {
    this.#announcer.say(title);
    this.requestUpdate();
    void this.updateComplete.then(() => bringIntoView(this.renderRoot.querySelector('.failure')));
  }

  #ended(): void {
    const sentences = findings(this.#view);
    this.#announcer.say([this.#text.announce.ended, ...sentences].join(' '));
    const detail = this.#lab.verdicts.map((verdict) => ({ ...verdict }));
    this.dispatchEvent(new CustomEvent('normscope-verdict', { detail, bubbles: true, composed: true }));
  }

  #newFrame(): void {
    this.#stale = true;
    this.requestUpdate();
    if (this.#lab.phase === 'running') this.#announcer.progress();
  }

  /** Puts words into the live region; null asks for the current state. */
  #say(words: string | null): void {
    const region = this.renderRoot.querySelector('.spoken');
    if (region) region.textContent = words ?? progressWords(this.#view, this.#lab.stepsDone);
  }

  #download(which: 'curves' | 'profiles'): void {
    const { records } = this.#lab;
    downloadText(`normscope-${which}.csv`, which === 'curves' ? curvesCsv(records) : profilesCsv(records));
  }
}
