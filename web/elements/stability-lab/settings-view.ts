import { html, nothing, type TemplateResult } from 'lit';
import type { NumberFormat } from 'normscope';
import type { LabMessages } from '../../locales/lab.js';
import { settingField, type FieldDraft } from './setting-field.js';
import {
  RANGES,
  settingProblems,
  type LabSettings,
  type NormChoice,
  type NumericSetting,
  type SettingProblem,
  type SettingRange,
} from './settings.js';
import type { Wish } from './machine.js';
import { wishView } from './machine-view.js';
import { placementView } from './placement-view.js';
import { sizeText } from './wording.js';

const FORMATS: readonly NumberFormat[] = ['fp32', 'fp16', 'bf16'];
const NORM_KINDS: readonly NormChoice[] = ['row', 'layernorm', 'rmsnorm', 'dyt'];
/** From here on the reader is told that it takes a while. */
const MANY_RUNS = 12;

export interface SettingsViewRequest {
  text: LabMessages;
  settings: LabSettings;
  drafts: ReadonlyMap<NumericSetting, FieldDraft>;
  /** The running experiment was started with other settings. */
  changed: boolean;
  wish: Wish;
  onWish: (wish: Wish) => void;
  onChange: (change: Partial<LabSettings>) => void;
  onDraft: (name: NumericSetting, draft: FieldDraft) => void;
  onCompare: () => void;
}

export function settingsView(request: SettingsViewRequest): TemplateResult {
  const { text, changed } = request;
  const fields = (advanced: boolean) =>
    RANGES.filter((range) => Boolean(range.advanced) === advanced).map((range) => field(request, range));
  return html`
    ${placementView(request)} ${normKinds(request)} ${formats(request)}
    <div class="fields">${fields(false)}</div>
    ${runCount(request)} ${wishView(text, request.wish, request.onWish)}
    <details class="advanced">
      <summary>${text.advanced}</summary>
      <div class="fields">${fields(true)}</div>
      ${decayGamma(request)}
    </details>
    ${changed ? html`<p class="hint changed">${text.changedNote}</p>` : nothing}
  `;
}

function field(
  { text, settings, drafts, onChange, onDraft }: SettingsViewRequest,
  range: SettingRange,
): TemplateResult {
  const isRate = range.name === 'learningRate';
  return settingField({
    range,
    text,
    value: settings[range.name],
    draft: drafts.get(range.name),
    wrong: wrongText(text, settings, range.name),
    note: isRate ? rateNote(text, settings) : undefined,
    onValue: (value) => onChange({ [range.name]: value }),
    onDraft: (draft) => onDraft(range.name, draft),
  });
}

function wrongText(text: LabMessages, settings: LabSettings, name: NumericSetting): string | undefined {
  const found = settingProblems(settings).find((each) => each.name === name);
  return found && problemText(text, settings, found);
}

/** Why a setting in use cannot run. */
export function problemText(
  text: LabMessages,
  settings: LabSettings,
  { name, problem, limit }: SettingProblem,
): string {
  if (problem === 'heads') return text.wrong.heads(String(settings.nHead), String(settings.dModel), String(limit));
  return text.wrong[problem](String(settings[name]), String(limit));
}

function rateNote(text: LabMessages, { learningRate, dModel }: LabSettings): TemplateResult {
  return html`<p class="hint" title=${text.rateTimesWidthHint}>
    <output>${text.rateTimesWidth(sizeText(learningRate * dModel))}</output>
  </p>`;
}

function normKinds({ text, settings, onChange }: SettingsViewRequest): TemplateResult {
  return html`<fieldset class="choices">
    <legend>${text.normKindTitle}</legend>
    <div class="options">
      ${NORM_KINDS.map(
        (kind) =>
          html`<label class="option">
            <input
              type="radio"
              name="norm-kind"
              .checked=${settings.normKind === kind}
              @change=${() => onChange({ normKind: kind })}
            /><span>${text.normKinds[kind]}</span>
          </label>`,
      )}
    </div>
    <p class="hint">${text.normKindHint[settings.normKind]}</p>
  </fieldset>`;
}

function decayGamma({ text, settings, onChange }: SettingsViewRequest): TemplateResult {
  return html`<label class="check">
    <input
      type="checkbox"
      .checked=${settings.decayGamma}
      @change=${(event: Event) => onChange({ decayGamma: (event.target as HTMLInputElement).checked })}
    />
    <span>${text.decayGamma}</span>
  </label>`;
}

/** How many runs the settings ask for, and what that costs. */
function runCount({ text, settings: { placements, nSeed } }: SettingsViewRequest): TemplateResult {
  const total = placements.length * nSeed;
  return html`<p class="hint run-count">
    <output>${text.runCount(String(placements.length), String(nSeed), String(total))}</output>
    ${total > MANY_RUNS ? text.manyRuns : nothing}
  </p>`;
}

function formats({ text, settings, onChange }: SettingsViewRequest): TemplateResult {
  return html`<fieldset class="choices">
    <legend>${text.formatTitle}</legend>
    <div class="options">
      ${FORMATS.map(
        (format) =>
          html`<label class="option">
            <input
              type="radio"
              name="format"
              .checked=${settings.format === format}
              @change=${() => onChange({ format })}
            /><span>${format}</span>
          </label>`,
      )}
    </div>
    ${settings.format === 'fp32' ? nothing : html`<p class="hint">${text.formatHint}</p>`}
  </fieldset>`;
}
