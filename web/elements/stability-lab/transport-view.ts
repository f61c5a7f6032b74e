import { html, nothing, svg, type TemplateResult } from 'lit';
import type { LabMessages } from '../../locales/lab.js';
import type { LabPhase } from './training-lab.js';
import { EXPERIMENTS, type ExperimentName } from './settings.js';
import { durationText } from './wording.js';

export interface TransportRequest {
  text: LabMessages;
  phase: LabPhase;
  done: number;
  total: number;
  secondsLeft: number;
  inline: boolean;
  /** The last attempt was refused before it began. */
  refused: boolean;
  /** Messages about the machine, below the controls. */
  notices: TemplateResult;
  onRun: () => void;
  onPause: () => void;
  onResume: () => void;
  onStep: () => void;
  onStop: () => void;
  onReset: () => void;
}

const ICONS = {
  play: svg`<path d="M5 3.2v9.6L13 8z" />`,
  pause: svg`<path d="M4 3h3v10H4zM9 3h3v10H9z" />`,
  step: svg`<path d="M3 3.2v9.6L9.6 8zM10.5 3H13v10h-2.5z" />`,
  stop: svg`<path d="M3.5 3.5h9v9h-9z" />`,
  reset: svg`<path d="M8 3a5 5 0 1 1-4.6 3.1l1.5.6A3.4 3.4 0 1 0 8 4.6v2L4.6 3.8 8 1z" />`,
};

function icon(name: keyof typeof ICONS): TemplateResult {
  return html`<svg viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true">
    ${ICONS[name]}
  </svg>`;
}

/** Run or pause or resume, step, stop, reset, and how far it is. */
export function transportView(request: TransportRequest): TemplateResult {
  const { text, phase, total, onStep, onStop, onReset } = request;
  const active = phase === 'starting' || phase === 'running' || phase === 'paused';
  const t = text.transport;
  return html`<div class="transport" role="group" aria-label=${t.label}>
    ${mainButton(request)}
    <button ?disabled=${phase === 'starting'} @click=${onStep}>${icon('step')}<span>${t.step}</span></button>
    <button ?disabled=${!active} @click=${onStop}>${icon('stop')}<span>${t.stop}</span></button>
    <button ?disabled=${phase === 'idle'} @click=${onReset}>${icon('reset')}<span>${t.reset}</span></button>
    <div class="progress">
      <progress max=${total || 1} value=${request.done} aria-label=${t.progress}></progress>
      <span class=${isRefused(request) ? 'progress-text broken' : 'progress-text'}>${progressText(request)}</span>
    </div>
    ${request.inline ? html`<p class="hint inline-note">${t.inline}</p>` : nothing} ${request.notices}
  </div>`;
}

function isRefused({ refused, phase }: TransportRequest): boolean {
  return refused || phase === 'failed';
}

function mainButton({ text, phase, onRun, onPause, onResume }: TransportRequest): TemplateResult {
  const t = text.transport;
  if (phase === 'running' || phase === 'starting') {
    return html`<button class="primary" ?disabled=${phase === 'starting'} @click=${onPause}>
      ${icon('pause')}<span>${t.pause}</span>
    </button>`;
  }
  if (phase === 'paused')
    return html`<button class="primary" @click=${onResume}>${icon('play')}<span>${t.resume}</span></button>`;
  return html`<button class="primary" @click=${onRun}>${icon('play')}<span>${t.run}</span></button>`;
}

function progressText({ text, phase, done, total, secondsLeft, refused }: TransportRequest): string {
  const t = text.transport;
  if (refused || (phase === 'failed' && done === 0)) return t.refused;
  if (phase === 'idle') return t.idle;
  if (phase === 'starting') return t.starting;
  const parts = [t.stepOf(String(done), String(total))];
  if (phase === 'paused') parts.push(t.paused);
  if (phase === 'failed') parts.push(t.failed);
  if (phase === 'ended') parts.push(t.ended);
  if (phase === 'running' && Number.isFinite(secondsLeft)) parts.push(t.left(durationText(text, secondsLeft)));
  return parts.join(' · ');
}

/** The ready-made experiments; one click sets everything and runs. */
export function experimentsView(
  text: LabMessages,
  current: ExperimentName | null,
  onChoose: (name: ExperimentName) => void,
): TemplateResult {
  const names = Object.keys(EXPERIMENTS) as ExperimentName[];
  return html`<div class="experiments" role="group" aria-label=${text.experiments.label}>
    ${names.map(
      (name) =>
        html`<button class="experiment" aria-pressed=${current === name} @click=${() => onChoose(name)}>
          <strong>${text.experiments[name].name}</strong><span>${text.experiments[name].note}</span>
        </button>`,
    )}
  </div>`;
}
