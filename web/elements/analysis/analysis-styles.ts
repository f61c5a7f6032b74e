import { css } from 'lit';
import { chartStyles } from '../../charts/chart-styles.js';
import { baseStyles } from '../base-styles.js';
import { figureStyles } from '../figure-styles.js';

const own = css`
  .analysis {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1rem;
  }
  .lead,
  .theme-intro {
    max-width: 46rem;
    font-size: 0.9375rem;
  }
  .lead {
    color: var(--_muted);
  }
  .run-row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1rem;
  }
  .run-row progress {
    flex: 0 1 14rem;
  }
  .run-row .now {
    color: var(--_muted);
    font-size: 0.875rem;
    font-variant-numeric: tabular-nums;
  }
  .problem {
    max-width: 46rem;
  }
  .figures {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr));
    gap: 1.25rem;
  }
  h4 {
    margin: 0;
    font-size: 1rem;
    font-weight: 650;
    line-height: 1.4;
  }
  .panel figcaption {
    flex: 0 0 auto;
  }
  .panel .findings {
    margin: 0.5rem 0 0.25rem;
    font-size: 0.875rem;
  }
  .panel > details:last-child {
    margin-top: auto;
  }
  .framed {
    margin-top: 0.375rem;
  }
  .axis-title {
    color: var(--_muted);
    font-size: 0.75rem;
    line-height: 1.5;
  }
  .axis-title.y {
    margin-bottom: 0.5rem;
  }
  .axis-title.x {
    text-align: end;
  }
  .still {
    display: grid;
    grid-template-columns: 3rem minmax(0, 1fr);
    grid-template-rows: 14rem 1.25rem;
    column-gap: 0.375rem;
  }
  .still > svg {
    display: block;
    width: 100%;
    height: 100%;
    overflow: visible;
  }
  .still .x-axis {
    grid-column: 2;
  }
  .grid-line {
    stroke: var(--_line);
    stroke-width: 1;
  }
  .drawing .marker {
    stroke: var(--_surface);
    stroke-width: 1;
  }
  .tick.halo {
    paint-order: stroke;
    stroke: var(--_surface);
    stroke-width: 4;
    stroke-linejoin: round;
  }
  .column {
    fill: currentColor;
    stroke: currentColor;
    stroke-width: 1;
  }
  .column.light {
    fill-opacity: 0.35;
  }
  .ellipses {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), 1fr));
    gap: 0.75rem;
    margin-top: 0.375rem;
  }
  .ellipse {
    margin: 0;
    max-width: 22rem;
  }
  .ellipse svg {
    display: block;
    width: 100%;
    height: auto;
  }
  .ellipse .frame {
    fill: none;
    stroke: var(--_line);
    stroke-width: 0.5;
  }
  .ellipse .outline {
    fill: none;
    stroke: var(--_ink);
    stroke-width: 0.7;
  }
  .ellipse .dot {
    fill: currentColor;
    fill-opacity: 0.75;
  }
  .ellipse .exact {
    fill: var(--_ink);
  }
  .ellipse .cross {
    fill: none;
    stroke: var(--_muted);
    stroke-width: 0.5;
  }
  .ellipse .tiny {
    fill: var(--_muted);
    font: 4px var(--_font);
  }
  .choice-row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1.25rem;
    font-size: 0.875rem;
  }
  .choice-row label {
    display: inline-flex;
    align-items: center;
    gap: 0.5rem;
  }
  .empty {
    min-height: 8rem;
  }
  @media (forced-colors: active) {
    .grid-line {
      stroke: GrayText;
    }
  }
  @media print {
    .run-row,
    .choice-row,
    .options {
      display: none;
    }
    figure {
      break-inside: avoid;
    }
  }
`;

export const analysisStyles = [baseStyles, figureStyles, chartStyles, own];
