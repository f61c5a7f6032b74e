import { css } from 'lit';
import { baseStyles } from '../base-styles.js';
import { figureStyles } from '../figure-styles.js';

const own = css`
  .memory {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1rem;
  }
  .lead {
    max-width: 46rem;
    color: var(--_muted);
    font-size: 0.9375rem;
  }
  .plan-row {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 0.75rem 1.5rem;
  }
  .now {
    align-self: center;
    color: var(--_muted);
    font-size: 0.875rem;
  }
  .sizes {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0;
    margin: 0;
    padding: 0 1.125rem;
    border: 1px solid var(--_line);
    border-radius: 12px;
    background: var(--_surface);
    list-style: none;
    font-variant-numeric: tabular-nums;
  }
  .size {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.5rem;
    padding: 0.875rem 0;
  }
  .size + .size {
    border-top: 1px solid var(--_line);
  }
  .names {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    align-items: baseline;
    gap: 0 0.75rem;
  }
  .names .why {
    grid-column: 1 / -1;
  }
  .names b {
    font-weight: 650;
  }
  h4 {
    margin: 0;
    font-size: 1rem;
    font-weight: 650;
  }
  .stack {
    display: block;
    border-radius: 4px;
    overflow: hidden;
    forced-color-adjust: none;
  }
  .part {
    stroke: var(--_surface);
    stroke-width: 1px;
  }
  .legend {
    margin: 0;
    gap: 0 1rem;
    font-size: 0.8125rem;
  }
  .dot {
    flex: none;
    width: 0.625rem;
    height: 0.625rem;
    border-radius: 2px;
    background: currentColor;
    forced-color-adjust: none;
  }
  :is(.part, .dot).weight {
    fill: var(--_accent);
    color: var(--_accent);
  }
  :is(.part, .dot).weightGradient {
    fill: var(--_series-mix-ln);
    color: var(--_series-mix-ln);
  }
  :is(.part, .dot).state {
    fill: var(--_series-layerscale);
    color: var(--_series-layerscale);
  }
  :is(.part, .dot).activation {
    fill: var(--_series-peri-ln);
    color: var(--_series-peri-ln);
  }
  :is(.part, .dot).activationGradient {
    fill: var(--_series-deepnorm);
    color: var(--_series-deepnorm);
  }
  :is(.part, .dot).rest {
    fill: var(--_series-none);
    color: var(--_series-none);
  }
  .fits {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.25rem 2rem;
    margin: 0;
    font-size: 0.875rem;
    line-height: 1.5;
  }
  .fits > div {
    display: grid;
    grid-template-columns: 6.5rem minmax(0, 1fr);
    gap: 0 0.5rem;
  }
  .fits dt {
    color: var(--_muted);
  }
  .fits dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  @container (min-width: 44rem) {
    .names {
      grid-template-columns: auto minmax(0, 1fr) auto;
    }
    .names .why {
      grid-area: 1 / 2;
    }
    .names b {
      grid-area: 1 / 3;
    }
    .fits {
      grid-template-columns: repeat(2, minmax(0, 1fr));
    }
  }
  @media print {
    .plan-row {
      display: none;
    }
  }
`;

export const memoryStyles = [baseStyles, figureStyles, own];
