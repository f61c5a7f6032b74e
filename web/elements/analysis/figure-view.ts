import { html, nothing, type TemplateResult } from 'lit';
import type { AnalysisMessages } from '../../locales/analysis.js';
import { swatch } from '../swatch-view.js';
import { tableView } from '../table-view.js';
import type { Figure, LegendEntry } from './figure.js';

/** Title, how to read it, legend, picture with named axes, what the numbers say, the numbers. */
export function figureView(text: AnalysisMessages, figure: Figure): TemplateResult {
  const { title, read, x, y } = text.figures[figure.name];
  const spoken = [title, ...figure.findings].join('. ');
  const isPlot = figure.name !== 'ellipsoid';
  return html`<figure class="panel" data-figure=${figure.name}>
    <figcaption>
      <h4>${title}</h4>
      <p class="hint">${read}</p>
    </figcaption>
    <ul class="legend">
      ${figure.legend.map(legendEntry)}
    </ul>
    ${
      isPlot
        ? html`<div class="framed" role="img" aria-label=${spoken}>
            <p class="axis-title y" aria-hidden="true">${y}</p>
            ${figure.picture}
            <p class="axis-title x" aria-hidden="true">${x}</p>
          </div>`
        : figure.picture
    }
    ${findingsView(text, figure.findings)}
    <details>
      <summary>${text.table}</summary>
      ${figure.tables.map((table) => tableView(table))}
    </details>
  </figure>`;
}

/** More sentences than this wait behind a summary. */
const MANY = 6;

function findingsView(text: AnalysisMessages, findings: readonly string[]): TemplateResult | typeof nothing {
  if (!findings.length) return nothing;
  const list = html`<ul class="findings">
    ${findings.map((sentence) => html`<li>${sentence}</li>`)}
  </ul>`;
  if (findings.length <= MANY) return list;
  return html`<details class="many">
    <summary>${text.findingsOf(String(findings.length))}</summary>
    ${list}
  </details>`;
}

function legendEntry({ name, style }: LegendEntry): TemplateResult {
  return html`<li>${style ? swatch(style) : nothing}<span>${name}</span></li>`;
}
