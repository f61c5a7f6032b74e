import { html, type TemplateResult } from 'lit';

export interface TableModel {
  caption: string;
  heads: readonly string[];
  /** The first cell of a row names it. */
  rows: readonly (readonly string[])[];
}

/** Numbers as a table that scrolls by itself and can be reached with the keyboard. */
export function tableView({ caption, heads, rows }: TableModel): TemplateResult {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...rest]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${rest.map((cell) => html`<td class="num">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
