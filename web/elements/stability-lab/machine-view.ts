/** Where the runs compute, what they take and how fast they go: one quiet row, and the choice of a device. */
import { html, nothing, type TemplateResult } from 'lit';
import type { DeviceChoice } from 'normscope';
import type { LabMessages } from '../../locales/lab.js';
import type { Language } from '../../locales/language.js';
import { formatAmount, formatBytes, formatCount } from '../../locales/numbers.js';
import { bytesOnGpu, machineGroups, parameterRange, WISHES, type MachineGroup, type Wish } from './machine.js';
import type { RunRecord } from './metric-store.js';
import type { Pace } from './pace.js';
import type { LabPhase } from './training-lab.js';
import { placementName } from './wording.js';

export interface MachineView {
  text: LabMessages;
  language: Language;
  wish: Wish;
  phase: LabPhase;
  records: readonly RunRecord[];
  /** Bytes that the runs need by their plans; null while unknown. */
  planned: number | null;
  /** Steps of all runs together. */
  pace: Pace;
  /** What happened to the machine before. */
  history: TemplateResult | typeof nothing;
}

/** The choice of a device, among the settings. */
export function wishView({ wish: t }: LabMessages, wish: Wish, onWish: (wish: Wish) => void): TemplateResult {
  return html`<fieldset class="choices">
    <legend>${t.title}</legend>
    <div class="options">
      ${WISHES.map(
        (name) =>
          html`<label class="option">
            <input type="radio" name="device" .checked=${wish === name} @change=${() => onWish(name)} /><span
              >${t[name]}</span
            >
          </label>`,
      )}
    </div>
    <p class="hint">${t.hint[wish]}</p>
  </fieldset>`;
}

export function machineView(view: MachineView): TemplateResult {
  const { machine: t } = view.text;
  return html`<section class="machine" aria-label=${t.title}>
    <dl>${fact('where', t.computedBy, places(view))} ${figures(view)}</dl>
    ${said(view)} ${view.history}
  </section>`;
}

function fact(name: string, label: string, value: unknown): TemplateResult {
  return html`<div class=${name}>
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** A badge and the reason for it. */
function place(device: Wish, name: string, why: string): TemplateResult {
  return html`<span class="place"><span class="badge ${device}">${name}</span> <span class="why">${why}</span></span>`;
}

/** Where the runs compute; with the placements' names where not all do so in one place. */
function places({ text, language, wish, phase, records }: MachineView): TemplateResult[] {
  const { idle, starting } = text.machine;
  if (!records.length)
    return [
      place(
        wish,
        wish === 'auto' ? text.wish.auto : text.machine[wish],
        (phase === 'starting' ? starting : idle)[wish],
      ),
    ];
  const groups = machineGroups(records);
  return groups.map((group) =>
    place(group.choice.device, text.machine[group.choice.device], whyText(text, language, group, groups.length > 1)),
  );
}

function whyText(text: LabMessages, language: Language, { choice, records }: MachineGroup, several: boolean): string {
  const names = several ? [[...new Set(records.map((record) => placementName(text, record)))].join(', ')] : [];
  const adapter = choice.device === 'webgpu' && choice.adapter ? [choice.adapter] : [];
  return [...names, ...adapter, reasonText(text, language, choice)].join(' · ');
}

/** Why runs compute where they do. */
export function reasonText({ machine: t }: LabMessages, language: Language, choice: DeviceChoice): string {
  const { device, reason, stepsPerSecond: rates } = choice;
  if (reason !== 'measured') return t.reasons[reason];
  const other = device === 'webgpu' ? 'wasm' : 'webgpu';
  const rate = (name: 'wasm' | 'webgpu') => (rates ? rateText(rates[name], language) : '–');
  return t.reasons.measured(rate(device), t[other], rate(other));
}

function figures({ text, language, phase, records, planned, pace }: MachineView): TemplateResult {
  const { machine: t } = text;
  const begun = records.length > 0;
  const onGpu = bytesOnGpu(records);
  const running = phase === 'idle' || phase === 'starting' || phase === 'running';
  const steps = running ? pace.perSecond : pace.mean;
  const tokens = steps * (records[0]?.tokensPerStep ?? Number.NaN);
  return html`${fact('parameters', t.parameters, begun ? parametersText(text, language, records) : '–')}
  ${fact('memory', t.planned, planned === null ? '–' : formatBytes(planned, language))}
  ${onGpu ? fact('memory', t.onGpu, formatBytes(onGpu, language)) : nothing}
  ${fact(
    'speed',
    running ? t.speed : t.meanSpeed,
    Number.isFinite(steps)
      ? html`<span>${t.tokens(rateText(tokens, language))}</span> <span>${t.steps(rateText(steps, language))}</span>`
      : '–',
  )}`;
}

function parametersText({ machine: t }: LabMessages, language: Language, records: readonly RunRecord[]): string {
  const [low, high] = parameterRange(records).map((count) => formatAmount(count, language)) as [string, string];
  return t.perRun(low === high ? low : t.range(low, high));
}

/** Speeds in whole numbers from ten upward; they are not known better. */
function rateText(value: number, language: Language): string {
  if (!Number.isFinite(value)) return '–';
  return value < 10 ? value.toFixed(1) : formatCount(Math.round(Number(value.toPrecision(3))), language);
}

/** What WebGPU itself said, for those who want to mend it. */
function said({ text, records }: MachineView): TemplateResult | typeof nothing {
  const sentences = [...new Set(records.flatMap(({ choice }) => choice.message ?? []))];
  if (!sentences.length) return nothing;
  return html`<details>
    <summary>${text.machine.said}</summary>
    ${sentences.map((sentence) => html`<code lang="en">${sentence}</code>`)}
  </details>`;
}
