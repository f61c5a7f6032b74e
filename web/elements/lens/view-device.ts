import { html, nothing, type TemplateResult } from 'lit';
import type { LensMessages } from '../../locales/lens.js';
import type { Machine } from './compute.js';
import { choices } from './view-toolbar.js';

export interface DeviceView {
  t: LensMessages;
  wish: 'wasm' | 'webgpu';
  machine: Machine | null;
  /** Why WebGPU does not compute although it was asked for; a normal answer, no alarm. */
  fellBack: string;
  problem: string;
}

/** Which machine computes, honestly: what was asked, what ran, and why not the other. */
export function devicePanel(view: DeviceView, choose: (device: 'wasm' | 'webgpu') => void): TemplateResult {
  const { t } = view;
  return html`<footer class="device">
    ${choices('device', t.device.label, ['wasm', 'webgpu'] as const, view.wish, (name) => t.device[name], choose)}
    <p role="status">${sentence(view)} ${view.fellBack}</p>
    ${view.problem ? html`<p class="problem" role="alert">${view.problem}</p>` : nothing}
  </footer>`;
}

function sentence({ t, machine }: DeviceView): string {
  if (!machine) return t.device.starting;
  const ran = t.device.ran(machine.device === 'webgpu' ? t.device.webgpu : t.device.wasm);
  return machine.device === 'webgpu' && machine.adapter ? `${ran} ${t.device.adapter(machine.adapter)}` : ran;
}

/** True where the browser has the WebGPU interface at all; an adapter may still be refused. */
export function hasWebGpu(): boolean {
  return typeof navigator !== 'undefined' && 'gpu' in navigator && !!navigator.gpu;
}
