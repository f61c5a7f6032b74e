import { css } from 'lit';
import { baseStyles } from '../base-styles.js';
import { figureStyles } from '../figure-styles.js';
import { diagramStyles } from '../diagram-styles.js';
import { settingsStyles } from './settings-styles.js';

const layout = css`
  :host {
    --chart-ink: var(--_ink);
    --chart-muted: var(--_muted);
    --chart-grid: var(--_line);
    --chart-paper: var(--_surface);
  }
  article,
  .training {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1.5rem;
  }
  .small {
    min-height: 2rem;
    font-size: 0.875rem;
  }
  .experiments {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr));
    gap: 0.75rem;
  }
  .experiment {
    display: grid;
    gap: 0.125rem;
    padding: 0.75rem 1rem;
    border-color: var(--_line);
    border-radius: 10px;
    text-align: start;
    font-weight: 400;
  }
  .experiment strong {
    font-weight: 650;
  }
  .experiment span {
    color: var(--_muted);
    font-size: 0.875rem;
  }
  .experiment[aria-pressed='true'] {
    border-color: var(--_accent);
    background: var(--_accent-soft);
    box-shadow: inset 0 0 0 1px var(--_accent);
  }
  .experiment[aria-pressed='true'] span {
    color: var(--_ink);
  }
  .transport {
    position: sticky;
    top: 0;
    z-index: 2;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    padding: 0.5rem 0;
    background: var(--_paper);
  }
  .transport button {
    display: inline-flex;
    align-items: center;
    gap: 0.4rem;
    min-height: 2.5rem;
  }
  .transport svg {
    flex: none;
  }
  .primary {
    min-width: 7.5rem;
    justify-content: center;
    border-color: var(--_accent);
    background: var(--_accent);
    color: var(--_accent-ink);
  }
  button.primary:hover:not(:disabled) {
    color: var(--_accent-ink);
    filter: brightness(1.08);
  }
  .progress {
    flex: 1 1 16rem;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 1rem;
    margin-inline-start: 0.5rem;
    font-size: 0.875rem;
    color: var(--_muted);
    font-variant-numeric: tabular-nums;
  }
  progress {
    flex: 1 1 8rem;
    height: 0.5rem;
    border: 0;
    border-radius: 99px;
    background: var(--_line);
    overflow: hidden;
    appearance: none;
  }
  progress::-webkit-progress-bar {
    background: var(--_line);
  }
  progress::-webkit-progress-value {
    background: var(--_accent);
  }
  progress::-moz-progress-bar {
    background: var(--_accent);
  }
  .progress-text {
    flex: 0 1 auto;
  }
  .inline-note,
  .notices[data-open] {
    flex-basis: 100%;
  }
  .notices[data-open] {
    display: flex;
    align-items: start;
    gap: 0.25rem 0.75rem;
    padding: 0.5rem 0.5rem 0.5rem 0.875rem;
    border-inline-start: 3px solid var(--_accent);
    border-radius: 6px;
    background: var(--_accent-soft);
    font-size: 0.9375rem;
    line-height: 1.5;
  }
  .notices > div {
    flex: 1;
    display: grid;
    gap: 0.25rem;
    align-self: center;
  }
  .machine {
    display: grid;
    gap: 0.25rem;
  }
  .machine dl {
    display: grid;
    grid-template-columns: repeat(2, minmax(0, 1fr));
    gap: 0.5rem 2rem;
    margin: 0;
    font-variant-numeric: tabular-nums;
  }
  .machine dt {
    color: var(--_muted);
    font-size: 0.8125rem;
    line-height: 1.4;
  }
  .machine dd {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0.125rem 1rem;
    margin: 0;
    font-size: 0.9375rem;
  }
  .machine .where {
    grid-column: 1 / -1;
  }
  .machine .where dd {
    display: grid;
    gap: 0.25rem;
  }
  .machine .speed dd span {
    min-width: 7.5rem;
  }
  .badge {
    display: inline-block;
    padding: 0 0.5rem;
    border: 1px solid var(--_line-strong);
    border-radius: 99px;
    background: var(--_surface);
    font-size: 0.8125rem;
    font-weight: 600;
    white-space: nowrap;
  }
  .badge.webgpu {
    border-color: var(--_accent);
    background: var(--_accent-soft);
    color: var(--_accent);
  }
  .machine code {
    display: block;
    overflow-wrap: anywhere;
    font-size: 0.8125rem;
  }
  .machine ul {
    margin: 0;
    padding-inline-start: 1.125rem;
    font-size: 0.875rem;
  }
  .failure {
    display: grid;
    gap: 0.375rem;
    padding: 0.875rem 1.125rem;
    border-inline-start: 4px solid var(--_alert);
    border-radius: 6px;
    background: var(--_alert-soft);
  }
  .failure strong {
    color: var(--_alert);
  }
  .failure code {
    overflow-wrap: anywhere;
    font-size: 0.8125rem;
  }
  .columns {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1.5rem;
    align-items: start;
  }
  .results {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1.25rem;
    min-width: 0;
  }
  .all-placements td {
    min-width: 8rem;
    max-width: 20rem;
    padding-block: 0.5rem;
    white-space: normal;
  }
  .all-placements .family-name {
    padding-top: 0.875rem;
    color: var(--_muted);
    font-weight: 500;
  }
  .thumbs {
    display: flex;
    gap: 0.25rem;
  }
  .thumbs .block-diagram {
    flex: none;
    width: 6rem;
    height: auto;
  }
  .thumbs .label {
    font-size: 1.25rem;
    transform: translateY(2px);
  }
  .explain dl {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr));
    gap: 1.25rem 2.5rem;
    margin: 0.875rem 0 0;
  }
  .explain dt {
    font-weight: 600;
    font-size: 0.9375rem;
  }
  .explain dd {
    margin: 0.25rem 0 0;
    color: var(--_muted);
    font-size: 0.9375rem;
    line-height: 1.65;
  }
  @container (max-width: 34rem) {
    .transport > button:not(.primary) {
      width: 2.75rem;
      padding: 0;
      justify-content: center;
    }
    .transport > button:not(.primary) span {
      position: absolute;
      width: 1px;
      height: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    .transport .primary {
      flex: 1;
    }
    .progress {
      margin: 0;
      flex-basis: 100%;
    }
  }
  @container (min-width: 56rem) {
    .machine dl {
      grid-template-columns: minmax(0, 1fr) repeat(4, auto);
    }
    .machine .where {
      grid-column: 1;
    }
    .columns {
      grid-template-columns: 17rem minmax(0, 1fr);
      gap: 2rem;
    }
  }
  :host([data-print]) {
    color-scheme: light;
  }
  @media print {
    .transport,
    .settings,
    .step-picker,
    .tools,
    .downloads,
    .experiments,
    .data,
    .heading .options {
      display: none;
    }
    .columns {
      grid-template-columns: minmax(0, 1fr);
    }
    .panel,
    .block,
    figure {
      break-inside: avoid;
    }
  }
  @media (forced-colors: active) {
    .experiment[aria-pressed='true'],
    .primary {
      border: 2px solid Highlight;
    }
    .failure,
    progress {
      border: 1px solid CanvasText;
    }
  }
`;

export const labStyles = [baseStyles, settingsStyles, figureStyles, diagramStyles, layout];
