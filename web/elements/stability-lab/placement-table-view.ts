/** All rows of the placement table side by side: where the norms stand, the equation, who proposed it, who uses it. */
import { html, type TemplateResult } from 'lit';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import { PLACEMENTS, type Placement } from 'normscope';
import { blockDiagram } from '../../charts/block-diagram.js';
import type { LabMessages } from '../../locales/lab.js';
import { stepsOf } from '../wiring/steps.js';
import { wiringOfRow } from '../wiring/wiring.js';
import { familiesOf } from './placement-groups.js';
import { placementName } from './wording.js';

export function placementTable(text: LabMessages): TemplateResult {
  const t = text.placementTable;
  const heads = [text.verdicts.placement, t.diagram, t.equation, t.source, t.users];
  return html`<details class="block all-placements">
    <summary>${t.title}</summary>
    <p class="hint">${t.note}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${t.title}>
      <table>
        <thead>
          <tr>
            ${heads.map((head) => html`<th scope="col">${head}</th>`)}
          </tr>
        </thead>
        ${familiesOf(PLACEMENTS).map(
          ({ family, rows }) =>
            html`<tbody>
              <tr>
                <th scope="rowgroup" colspan="5" class="family-name">${text.families[family]}</th>
              </tr>
              ${rows.map((row) => tableRow(text, row))}
            </tbody>`,
        )}
      </table>
    </div>
  </details>`;
}

function tableRow(text: LabMessages, row: Placement): TemplateResult {
  const name = placementName(text, { placement: row.name });
  return html`<tr>
    <th scope="row">${name}</th>
    <td>
      <div class="thumbs">
        ${stepsOf(wiringOfRow(row)).map((step) => unsafeHTML(blockDiagram(step, text.placementTable.picture(name, text.steps[step.name]))))}
      </div>
    </td>
    <td>${text.equationOf(row.name, row.equation)}</td>
    <td>${row.source}</td>
    <td>${text.usersOf(row.name, row.users) || '–'}</td>
  </tr>`;
}
