import { css } from 'lit';
import { baseStyles } from '../base-styles.js';
import { diagramStyles } from '../diagram-styles.js';
import { figureStyles } from '../figure-styles.js';

const own = css`
  .wiring {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1rem;
  }
  .lead {
    max-width: 46rem;
    color: var(--_muted);
    font-size: 0.9375rem;
  }
  .editor {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1.25rem 2rem;
    padding: 1rem 1.125rem;
    border: 1px solid var(--_line);
    border-radius: 12px;
    background: var(--_surface);
  }
  .fields {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
    gap: 1rem 2rem;
    align-content: start;
  }
  .start {
    grid-column: 1 / -1;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 1rem;
  }
  .start label {
    display: inline-flex;
    align-items: center;
    gap: 0.5rem;
    font-weight: 600;
    font-size: 0.9375rem;
  }
  .part {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.25rem;
    align-content: start;
  }
  .part legend {
    color: var(--_ink);
    font-size: 0.875rem;
    font-weight: 600;
  }
  .part .check,
  .line {
    font-size: 0.9375rem;
    line-height: 1.4;
  }
  .line {
    display: grid;
    grid-template-columns: minmax(0, 1fr) fit-content(55%);
    align-items: center;
    gap: 0 0.75rem;
  }
  .line select {
    min-width: 0;
    max-width: 100%;
  }
  .line :is(select, input) {
    justify-self: end;
    min-height: 2rem;
    font-size: 0.875rem;
  }
  .line .number {
    width: 5.5rem;
    text-align: end;
  }
  .line:has(:disabled),
  .check:has(:disabled) {
    color: var(--_muted);
  }
  .diagrams {
    display: flex;
    flex-wrap: wrap;
    gap: 1rem 1.5rem;
    align-content: start;
  }
  .diagrams figure {
    display: grid;
    gap: 0.25rem;
    flex: 0 1 12rem;
    min-width: 0;
    margin: 0;
  }
  .diagrams .block-diagram {
    width: 100%;
    max-width: 11rem;
    height: auto;
  }
  .diagrams figcaption {
    display: grid;
    font-size: 0.8125rem;
  }
  .diagrams figcaption span {
    color: var(--_muted);
    overflow-wrap: anywhere;
  }
  .check-row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1.25rem;
  }
  .check-row progress {
    flex: 0 1 14rem;
  }
  .check-row .now {
    color: var(--_muted);
    font-size: 0.875rem;
  }
  .report {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.75rem;
    padding: 1rem 1.125rem;
    border: 1px solid var(--_line);
    border-radius: 12px;
    background: var(--_surface);
  }
  h4,
  h5 {
    margin: 0;
    font-size: 1rem;
    font-weight: 650;
    line-height: 1.4;
  }
  h5 {
    font-size: 0.9375rem;
  }
  .cards {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), 1fr));
    gap: 0.75rem;
  }
  .card {
    display: grid;
    gap: 0.25rem;
    align-content: start;
    padding: 0.625rem 0.875rem 0.75rem;
    border: 1px solid var(--_line);
    border-inline-start-width: 4px;
    border-radius: 8px;
    font-size: 0.875rem;
    line-height: 1.5;
  }
  .verdict {
    font-size: 1.0625rem;
    font-weight: 650;
  }
  .card:has(.good) {
    border-inline-start-color: var(--_series-peri-ln);
  }
  .card:has(.open) {
    border-inline-start-color: var(--_series-pre-ln);
  }
  .report table :is(th, td) {
    white-space: normal;
  }
  .report tbody th {
    min-width: 9rem;
  }
  .report ul {
    max-width: 46rem;
    margin: 0;
    padding-inline-start: 1.125rem;
    font-size: 0.875rem;
  }
  @container (min-width: 56rem) {
    .editor {
      grid-template-columns: minmax(0, 1fr) 14rem;
    }
    .diagrams {
      flex-direction: column;
    }
    .diagrams figure {
      flex: none;
    }
  }
  @media print {
    .check-row {
      display: none;
    }
  }
`;

export const wiringStyles = [baseStyles, figureStyles, diagramStyles, own];
