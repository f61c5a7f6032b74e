import { css } from 'lit';

/** Charts, their legends, tables, small print; and the few rules that uPlot needs inside a shadow root. */
export const figureStyles = css`
  .hint {
    color: var(--_muted);
    font-size: 0.8125rem;
    line-height: 1.5;
  }
  .pair {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
    gap: 1.25rem;
  }
  .panel,
  .block:not(.profile) {
    margin: 0;
    min-width: 0;
    padding: 1rem 1.125rem 0.75rem;
    border: 1px solid var(--_line);
    border-radius: 12px;
    background: var(--_surface);
  }
  .panel {
    display: flex;
    flex-direction: column;
  }
  .panel figcaption {
    flex: 1 0 auto;
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 1.125rem;
    min-height: 1.75rem;
    margin: 0.375rem 0 0;
    padding: 0;
    list-style: none;
    font-size: 0.875rem;
    font-variant-numeric: tabular-nums;
  }
  .legend li {
    display: inline-flex;
    align-items: center;
    gap: 0.4rem;
  }
  .legend b {
    font-weight: 650;
  }
  .legend .when {
    margin-inline-start: auto;
    color: var(--_muted);
    font-size: 0.8125rem;
  }
  .swatch {
    flex: none;
  }
  .plot {
    position: relative;
    height: 15rem;
    min-width: 0;
    margin: 0 -0.375rem;
    touch-action: pan-y;
  }
  .profile .plot {
    height: 18rem;
  }
  .axis-name {
    margin-top: -0.375rem;
    color: var(--_muted);
    font-size: 0.75rem;
    line-height: 1.4;
    text-align: end;
  }
  .empty {
    position: absolute;
    inset: 0;
    display: grid;
    place-content: center;
    margin: 0.375rem;
    padding: 1rem;
    border: 1px dashed var(--_line);
    border-radius: 8px;
    color: var(--_muted);
    font-size: 0.9375rem;
    text-align: center;
  }
  .empty.inset {
    position: static;
    min-height: 8rem;
  }
  .block.profile {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.75rem;
    padding: 1rem 1.125rem 0.875rem;
    border: 1px solid var(--_line);
    border-radius: 12px;
    background: var(--_surface);
  }
  .profile .panel {
    padding: 0;
    border: 0;
  }
  .tools,
  .heading {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0.5rem 1.5rem;
  }
  .options .option span {
    min-height: 1.875rem;
    font-size: 0.875rem;
  }
  .step-picker {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.875rem;
    font-size: 0.875rem;
  }
  .step-picker .slider {
    flex: 1 1 10rem;
  }
  .step-picker output {
    min-width: 3ch;
    text-align: end;
    font-variant-numeric: tabular-nums;
  }
  .step-picker button[aria-pressed='true'] {
    border-color: var(--_accent);
    background: var(--_accent-soft);
    color: var(--_accent);
  }
  .finding {
    max-width: 46rem;
    font-size: 0.9375rem;
  }
  .broken {
    color: var(--_alert);
    font-weight: 600;
  }
  .findings {
    display: grid;
    gap: 0.375rem;
    max-width: 46rem;
    margin: 0.5rem 0 1rem;
    padding-inline-start: 1.125rem;
  }
  .heat-grid {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
    gap: 1rem 1.5rem;
    margin-top: 0.75rem;
  }
  .heat {
    margin: 0;
    min-width: 0;
  }
  .heat figcaption {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    margin-bottom: 0.25rem;
    font-size: 0.875rem;
  }
  .heat-body {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 0.125rem 0.5rem;
  }
  .heat-rows,
  .heat-steps {
    display: flex;
    justify-content: space-between;
    color: var(--_muted);
    font-size: 0.75rem;
    line-height: 1.2;
  }
  .heat-rows {
    flex-direction: column;
    text-align: end;
  }
  .heat-steps {
    grid-column: 2;
  }
  :is(.heat-rows, .heat-steps) i {
    font-style: normal;
    white-space: nowrap;
  }
  .heat canvas {
    width: 100%;
    height: 9rem;
    border-radius: 4px;
    background: var(--_sunken);
  }
  .color-bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.625rem;
    margin-top: 0.75rem;
    color: var(--_muted);
    font-size: 0.8125rem;
    font-variant-numeric: tabular-nums;
  }
  .color-bar .bar {
    width: min(14rem, 40%);
    height: 0.625rem;
    border-radius: 99px;
    forced-color-adjust: none;
  }
  .color-bar .bar-broken {
    width: 0.875rem;
    height: 0.875rem;
    margin-inline-start: 0.75rem;
    border-radius: 3px;
    background: rgb(213 94 0);
    forced-color-adjust: none;
  }
  table {
    width: 100%;
    border-collapse: collapse;
    font-size: 0.875rem;
    font-variant-numeric: tabular-nums;
  }
  caption {
    padding: 0.75rem 0 0.25rem;
    color: var(--_muted);
    text-align: start;
  }
  th,
  td {
    padding: 0.4375rem 0.75rem 0.4375rem 0;
    border-bottom: 1px solid var(--_line);
    text-align: start;
    vertical-align: middle;
    white-space: nowrap;
  }
  thead th {
    color: var(--_muted);
    font-weight: 500;
  }
  tbody th {
    font-weight: 600;
  }
  tbody th .swatch {
    margin-inline-end: 0.5rem;
    vertical-align: -0.05em;
  }
  .downloads {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
    margin: 0.5rem 0;
  }

  .uplot,
  .u-wrap {
    position: relative;
  }
  .uplot {
    width: min-content;
  }
  .u-over {
    overflow: hidden;
  }
  .u-wrap {
    user-select: none;
  }
  .u-over,
  .u-under,
  .u-axis,
  .u-cursor-x,
  .u-cursor-y,
  .u-cursor-pt,
  .u-select {
    position: absolute;
  }
  .u-under {
    overflow: hidden;
  }
  .uplot canvas {
    display: block;
    position: relative;
    width: 100%;
    height: 100%;
  }
  .u-cursor-x,
  .u-cursor-y,
  .u-cursor-pt,
  .u-select {
    top: 0;
    left: 0;
    pointer-events: none;
  }
  .u-cursor-x {
    height: 100%;
    border-right: 1px solid var(--_line-strong);
    opacity: 0.6;
  }
  .u-cursor-pt {
    border: 0 solid;
    border-radius: 50%;
    background-clip: padding-box !important;
  }
  .u-off {
    display: none;
  }
  @media print {
    .plot {
      height: auto;
    }
    .uplot,
    .u-wrap {
      max-width: 100%;
      height: auto !important;
    }
    .uplot canvas {
      width: 100% !important;
      height: auto !important;
    }
  }
`;
