import { html, nothing, type TemplateResult } from 'lit';
import { formatRead } from '../../locales/numbers.js';
import type { LensView } from './model.js';

/** Every number that the charts draw, for reading instead of looking. */
export function dataTable(view: LensView): TemplateResult | typeof nothing {
  const { t, slice } = view;
  if (!slice) return nothing;
  return html`<details class="data">
    <summary>${t.table.summary}</summary>
    <div class="scroll" tabindex="0" role="group" aria-label=${t.table.caption}>
      <table>
        <caption class="hidden">
          ${t.table.caption}
        </caption>
        <thead>
          <tr>
            <th scope="col">${slice.kind === 'batchnorm' ? t.table.token : t.table.feature}</th>
            <th scope="col">x</th>
            <th scope="col">x̂</th>
            <th scope="col">γ</th>
            <th scope="col">β</th>
            <th scope="col">y</th>
          </tr>
        </thead>
        <tbody>
          ${slice.labels.map(
            (label, index) =>
              html`<tr>
                <th scope="row">${label}</th>
                ${[slice.x, slice.xHat, slice.gamma, slice.beta, slice.y].map(
                  (column) => html`<td>${formatRead(column[index] as number, 6)}</td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
