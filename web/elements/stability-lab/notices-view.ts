/** What happened to the machine below the runs, in words: in the bar while it is news, below afterwards. */
import { html, nothing, type TemplateResult } from 'lit';
import type { RunNotice } from 'normscope';
import type { LabMessages } from '../../locales/lab.js';
import type { Language } from '../../locales/language.js';
import { formatCount } from '../../locales/numbers.js';
import type { RunRecord } from './metric-store.js';
import { placementName } from './wording.js';
import { reasonText } from './machine-view.js';

export interface NoticesView {
  text: LabMessages;
  language: Language;
  notices: readonly RunNotice[];
  records: readonly RunRecord[];
  /** How many of them the reader has closed. */
  closed: number;
  onClose: () => void;
}

/** Calm messages in the bar, which is always in view. The live region stands from the start, so that it is heard. */
export function noticesView({ closed, onClose, ...view }: NoticesView): TemplateResult {
  const open = view.notices.slice(closed);
  return html`<div class="notices" ?data-open=${open.length > 0}>
    <div role="status" aria-live="polite" aria-label=${view.text.notices.label}>
      ${open.map((notice) => html`<p>${noticeText(view, notice)}</p>`)}
    </div>
    ${open.length ? html`<button class="small" @click=${onClose}>${view.text.notices.close}</button>` : nothing}
  </div>`;
}

/** The messages that were closed stay to be read. */
export function noticeHistory({ closed, ...view }: Omit<NoticesView, 'onClose'>): TemplateResult | typeof nothing {
  const past = view.notices.slice(0, closed);
  if (!past.length) return nothing;
  return html`<details>
    <summary>${view.text.notices.history(String(past.length))}</summary>
    <ul>
      ${past.map((notice) => html`<li>${noticeText(view, notice)}</li>`)}
    </ul>
  </details>`;
}

type Noticed = Pick<NoticesView, 'text' | 'language' | 'records'>;

/** What happened, where it goes on, and what is computed again. */
export function noticeText({ text, language, records }: Noticed, notice: RunNotice): string {
  const { notices: t } = text;
  const { fromStep, lastStep } = notice;
  const count = (value: number) => formatCount(value, language);
  const steps = [count(fromStep + 1), count(lastStep), count(lastStep - fromStep)] as const;
  const again = lastStep > fromStep ? t.again(...steps) : lastStep > 0 ? t.noneAgain : '';
  const words = [whatHappened(text, language, notice), again].filter(Boolean).join(' ');
  const names = concerned(text, records, notice);
  return names ? t.some(names, words) : words;
}

function whatHappened(text: LabMessages, language: Language, notice: RunNotice): string {
  const { notices: t } = text;
  const { code, device, choice, lastStep } = notice;
  if (code === 'worker-lost') return t.worker;
  if (code === 'device-lost') return t.lost[device];
  const why = reasonText(text, language, choice);
  return lastStep > 0 ? t.fallbackLater(why) : t.fallback(why);
}

/** Names of the placements that a notice is about; empty where it is about all runs. */
function concerned(text: LabMessages, records: readonly RunRecord[], { runs }: RunNotice): string {
  const named = records.filter(({ info }) => runs.includes(info.run));
  if (named.length === records.length) return '';
  return [...new Set(named.map((record) => placementName(text, record)))].join(', ');
}
