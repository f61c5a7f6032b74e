import { html, type TemplateResult } from 'lit';
import type { LensActions, LensView } from './model.js';
import { movement } from './view-grid.js';

/** The two experiments with the batch, and what the last change did. */
export function batchExperiments(view: LensView, act: LensActions): TemplateResult {
  const { t } = view;
  return html`<div class="experiments">
    ${box(t.batch.alone, view.alone, act.setAlone)} ${box(t.batch.padded, view.padded, act.setPadded)}
    <p class="effect" role="status">${effectText(view)}</p>
  </div>`;
}

function box(label: string, checked: boolean, set: (on: boolean) => void): TemplateResult {
  const read = (event: Event) => set((event.target as HTMLInputElement).checked);
  return html`<label class="check"
    ><input type="checkbox" .checked=${checked} @change=${read} /><span>${label}</span></label
  >`;
}

/** One sentence; it changes only when the kind of effect changes, so that a screen reader is not flooded. */
export function effectText(view: LensView): string {
  const { t } = view;
  const byRow = view.kind !== 'batchnorm';
  if (view.alone && !view.padded) return byRow ? t.effect.sameAlone : t.effect.zeroAlone;
  if (view.padded) return byRow ? t.effect.samePadded : t.effect.movedPadded;
  if (!view.touched) return t.effect.still;
  const innocent = view.active.filter(
    (row, index) => unedited(view, row.token) && (movement(view, row, index) ?? 0) > 0,
  );
  return innocent.length > 0 ? t.effect.rowsMoved(String(innocent.length)) : t.effect.rowsKept;
}

function unedited(view: LensView, token: number): boolean {
  const before = view.grid.untouched[token];
  return token >= 0 && !!view.grid.rows[token]?.every((value, index) => value === before?.[index]);
}
