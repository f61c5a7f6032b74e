import { css } from 'lit';
import { chartStyles } from '../../charts/chart-styles.js';
import { baseStyles } from '../base-styles.js';
import { benchStyles } from './bench-styles.js';
import { gridStyles } from './grid-styles.js';

const layout = css`
  article {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 2.25rem;
  }
  .toolbar {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 1rem 2rem;
  }
  .note {
    max-width: 46rem;
    margin-top: -1rem;
    color: var(--_muted);
    font-size: 0.9375rem;
  }
  .steps ol {
    margin: 0.75rem 0 0;
    padding: 0;
    list-style: none;
    counter-reset: step;
  }
  .steps li {
    display: grid;
    grid-template-columns: 8.5rem minmax(13rem, 0.8fr) minmax(0, 1.5fr) 7.5rem;
    gap: 0.25rem 1.25rem;
    align-items: center;
    padding: 0.875rem 0;
    border-top: 1px solid var(--_line);
    counter-increment: step;
  }
  .steps li:last-child {
    border-bottom: 1px solid var(--_line);
  }
  .steps h4 {
    display: flex;
    gap: 0.625rem;
    margin: 0;
    font-size: 0.9375rem;
    font-weight: 600;
    line-height: 1.35;
  }
  .steps h4::before {
    content: counter(step);
    flex: none;
    min-width: 1ch;
    color: var(--_accent);
    font-variant-numeric: tabular-nums;
  }
  .numbers p:first-child {
    font-variant-numeric: tabular-nums;
    overflow-wrap: anywhere;
  }
  .spark {
    width: 120px;
    max-width: 100%;
    height: 44px;
  }
  .knobs {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr));
    gap: 1.25rem 2.5rem;
    margin: 0.75rem 0 0.5rem;
  }
  .knob {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 6rem;
    gap: 0.375rem 0.75rem;
    align-items: center;
    align-content: start;
  }
  .knob > :not(label, .number) {
    grid-column: 1 / -1;
  }
  .field-label,
  .vector-field label,
  .paste label {
    font-size: 0.9375rem;
  }
  .vector-field {
    display: grid;
    gap: 0.25rem;
    max-width: 40rem;
    margin: 0.5rem 0;
  }
  .pair {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr));
    gap: 1rem 2.5rem;
    margin-top: 0.75rem;
  }
  figure {
    min-width: 0;
    margin: 0;
  }
  figcaption {
    color: var(--_muted);
    font-size: 0.8125rem;
  }
  figure svg {
    display: block;
    width: 100%;
    height: auto;
    max-height: 9.5rem;
  }
  .data table {
    border-collapse: collapse;
    font-size: 0.875rem;
    font-variant-numeric: tabular-nums;
  }
  .data :is(th, td) {
    padding: 0.25rem 0.875rem;
    border-bottom: 1px solid var(--_line);
    text-align: right;
    white-space: nowrap;
  }
  .device {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1.25rem;
    padding-top: 1rem;
    border-top: 1px solid var(--_line);
    color: var(--_muted);
    font-size: 0.875rem;
  }
  .device .choices {
    display: flex;
    align-items: center;
    gap: 0.75rem;
  }
  .device legend {
    float: left;
    padding: 0;
  }
  .device .option span {
    min-height: 1.75rem;
    font-size: 0.875rem;
    color: var(--_ink);
  }

  @container (max-width: 56rem) {
    .steps li {
      grid-template-columns: minmax(0, 1fr) auto;
    }
    .steps .symbols,
    .steps .numbers {
      grid-column: 1 / -1;
    }
    .steps h4 {
      align-self: center;
    }
    .steps .spark {
      grid-row: 1;
      grid-column: 2;
    }
    span.spark {
      display: none;
    }
  }
`;

/** Last, so that it wins: paper keeps the numbers and the pictures, not the controls. */
const onPaper = css`
  @media print {
    .toolbar,
    .paste,
    .device,
    .experiments .check {
      display: none;
    }
    section {
      break-inside: avoid;
    }
  }
`;

export const lensStyles = [baseStyles, chartStyles, layout, gridStyles, benchStyles, onPaper];
