/** The sizes one below the other: how much, of what, and whether it fits. */
import { html, nothing, type TemplateResult } from 'lit';
import { stackedBar } from '../../charts/stacked-bar.js';
import type { Language } from '../../locales/language.js';
import type { MemoryMessages } from '../../locales/memory.js';
import { formatAmount, formatBytes, formatCount } from '../../locales/numbers.js';
import { tableView } from '../table-view.js';
import { PARTS, type Footprint } from './footprint.js';
import type { SizeName } from './sizes.js';

export interface MemoryView {
  text: MemoryMessages;
  language: Language;
  footprints: readonly Footprint[];
  /** The limits are those of the machine's own GPU. */
  ownLimits: boolean;
}

export function nameOf(text: MemoryMessages, size: SizeName): string {
  return size === 'own' ? text.own : text.gpt2(size);
}

export function memoryView(view: MemoryView): TemplateResult {
  const { text, footprints, ownLimits } = view;
  return html`<ol class="sizes">
      ${footprints.map((footprint) => sizeView(view, footprint))}
    </ol>
    <p class="hint">
      ${ownLimits ? text.limitsOf.adapter : text.limitsOf.standard} ${text.limitsNote} ${text.headNote}
    </p>
    <details>
      <summary>${text.table}</summary>
      ${memoryTable(view)}
    </details>`;
}

function sizeView(view: MemoryView, footprint: Footprint): TemplateResult {
  const { text, language } = view;
  const { size } = footprint;
  const { parameters, bytes } = footprint.memory;
  return html`<li class="size">
    <div class="names">
      <h4>${nameOf(text, size)}</h4>
      <b>${text.total(formatBytes(bytes.total, language))}</b>
      <span class="why">${text.parameters(formatAmount(parameters, language))} · ${shapeText(view, footprint)}</span>
    </div>
    ${partsView(view, footprint)}
    <dl class="fits">${wasmView(view, footprint)} ${gpuView(view, footprint)}</dl>
  </li>`;
}

function shapeText({ text, language }: MemoryView, { shape }: Footprint): string {
  const count = (value: number) => formatCount(value, language);
  return text.shape(count(shape.nLayer), count(shape.dModel), count(shape.nBatch), count(shape.nCtx));
}

/** The bar is for the eye; the list beside it says the same. */
function partsView({ text, language }: MemoryView, { parts }: Footprint): TemplateResult {
  const shown = PARTS.map((name) => ({ name, value: parts[name] }));
  return html`<svg class="stack" width="100%" height="14" aria-hidden="true">${stackedBar(shown)}</svg>
    <ul class="legend">
      ${shown.map(
        ({ name, value }) =>
          html`<li><i class="dot ${name}"></i>${text.partOf(text.parts[name], formatBytes(value, language))}</li>`,
      )}
    </ul>`;
}

function wasmView({ text, language }: MemoryView, { memory: { wasmRefusal } }: Footprint): TemplateResult {
  if (!wasmRefusal) return verdict(text.wasm, true, text.wasmFits);
  return verdict(text.wasm, false, text.wasmRefused(formatBytes(wasmRefusal.limit, language)));
}

function gpuView({ text, language }: MemoryView, { memory }: Footprint): TemplateResult {
  const { refusal, buffers, bytes } = memory;
  const words = text.gpuFits(formatBytes(bytes.total, language), formatCount(buffers, language));
  if (!refusal) return verdict(text.webgpu, true, words);
  const { tensor, need, limit } = refusal;
  return verdict(
    text.webgpu,
    false,
    text.gpuRefused(tensor, formatBytes(need, language), formatBytes(limit, language)),
  );
}

function verdict(device: string, fits: boolean, words: string): TemplateResult {
  return html`<div>
    <dt>${device}</dt>
    <dd class=${fits ? 'good' : 'open'}>${fits ? '✓' : '✗'} ${words}</dd>
  </div>`;
}

function memoryTable({ text, language, footprints }: MemoryView): TemplateResult | typeof nothing {
  const { model, parameters, total } = text.heads;
  return tableView({
    caption: text.caption,
    heads: [model, parameters, ...PARTS.map((name) => text.parts[name]), total],
    rows: footprints.map(({ size, parts, memory }) => [
      nameOf(text, size),
      formatCount(memory.parameters, language),
      ...PARTS.map((name) => formatBytes(parts[name], language)),
      formatBytes(memory.bytes.total, language),
    ]),
  });
}
