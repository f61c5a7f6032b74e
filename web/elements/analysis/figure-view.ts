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
    ${
      figure.findings.length
        ? html`<ul class="findings">
            ${figure.findings.map((sentence) => html`<li>${sentence}</li>`)}
          </ul>`
        : nothing
    }
    <details>
      <summary>${text.table}</summary>
      ${figure.tables.map((table) => tableView(table))}
    </details>
  </figure>`;
}

function legendEntry({ name, style }: LegendEntry): TemplateResult {
  return html`<li>${style ? swatch(style) : nothing}<span>${name}</span></li>`;
}
