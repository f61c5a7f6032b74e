import { css } from 'lit';

/** The two tables and the frame that shows which numbers are averaged. */
export const gridStyles = css`
  .grids {
    display: grid;
    grid-template-columns: minmax(0, auto) auto minmax(0, auto) minmax(15rem, 1fr);
    align-items: center;
    gap: 1rem 1.25rem;
  }
  .grids.wide {
    grid-template-columns: minmax(0, 1fr);
  }
  .grids.wide .arrow {
    display: none;
  }
  .arrow {
    color: var(--_muted);
    font-size: 1.5rem;
  }
  .beside {
    display: grid;
    gap: 0.75rem;
    align-content: center;
    padding-left: 1rem;
  }
  .grids.wide .beside {
    padding-left: 0;
  }
  .axis-text {
    display: flex;
    gap: 0.625rem;
    align-items: baseline;
    font-size: 0.9375rem;
  }
  .axis-key {
    flex: none;
    width: 1.5rem;
    height: 0.75rem;
    border: 2px solid var(--_accent);
    border-radius: 3px;
  }
  .axis-key.batchnorm {
    width: 0.75rem;
    height: 1.25rem;
    align-self: center;
  }
  .grid {
    border-collapse: separate;
    border-spacing: 0;
    font-variant-numeric: tabular-nums;
  }
  .grid caption {
    padding-bottom: 0.375rem;
    color: var(--_muted);
    font-size: 0.8125rem;
    text-align: left;
  }
  .grid th {
    padding: 0.25rem 0.625rem;
    font-weight: 500;
    text-align: left;
    white-space: nowrap;
  }
  .grid thead th {
    height: 2.25rem;
    color: var(--_muted);
    font-size: 0.875rem;
    text-align: right;
  }
  .grid thead th:first-child {
    text-align: left;
  }
  .grid td {
    min-width: 4.25rem;
    height: 2.5rem;
    padding: 0.25rem 0.625rem;
    border: 0 solid var(--_accent);
    background: color-mix(in oklab, var(--_tone) var(--heat), var(--_surface));
    text-align: right;
    white-space: nowrap;
  }
  .grid td.positive {
    --_tone: var(--_positive);
  }
  .grid td.negative {
    --_tone: var(--_negative);
  }
  .wide .grid td {
    min-width: 3.25rem;
    padding: 0.25rem 0.375rem;
    font-size: 0.875rem;
  }
  .grid td.verdict {
    min-width: 5.5rem;
    border: 0;
    background: none;
    text-align: left;
  }
  .grid .padding {
    color: var(--_muted);
  }
  .grid .picked th {
    font-weight: 700;
  }
  .grid .in-row td:not(.verdict) {
    border-width: 2px 0;
  }
  .grid .in-row th + td {
    border-left-width: 2px;
    border-radius: 6px 0 0 6px;
  }
  .grid .in-row td:is(:last-child, :has(+ .verdict)) {
    border-right-width: 2px;
    border-radius: 0 6px 6px 0;
  }
  .grid td.in-column {
    border-width: 0 2px;
  }
  .grid tbody tr:first-child td.in-column {
    border-top-width: 2px;
    border-radius: 6px 6px 0 0;
  }
  .grid td.in-column.bottom {
    border-bottom-width: 2px;
    border-radius: 0 0 6px 6px;
  }
  .token {
    display: inline-flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 1.75rem;
    cursor: pointer;
  }
  .token input {
    width: 1rem;
    height: 1rem;
    margin: 0;
    cursor: pointer;
  }
  .badge {
    display: inline-block;
    color: var(--_muted);
    font-size: 0.8125rem;
    white-space: nowrap;
  }
  .badge.moved {
    color: var(--_accent);
    font-weight: 650;
  }
  .experiments {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.75rem;
    font-size: 0.9375rem;
  }
  .effect {
    flex-basis: 100%;
    max-width: 46rem;
    min-height: 3.2em;
    margin-top: 0.25rem;
    font-weight: 600;
  }

  @container (max-width: 70rem) {
    .grids {
      grid-template-columns: minmax(0, auto) auto minmax(0, 1fr);
    }
    .beside,
    .grids.wide .beside {
      grid-column: 1 / -1;
      padding-left: 0;
    }
    .effect {
      min-height: 1.6em;
    }
  }
  @container (max-width: 52rem) {
    .grids {
      grid-template-columns: minmax(0, 1fr);
    }
    .arrow {
      display: none;
    }
    .grid td {
      min-width: 3.25rem;
      padding: 0.25rem 0.375rem;
      font-size: 0.9375rem;
    }
    .grid td.verdict {
      min-width: 3.5rem;
    }
    .grid th {
      padding: 0.25rem 0.5rem 0.25rem 0;
    }
  }
  @container (max-width: 26rem) {
    .grid td {
      min-width: 2.75rem;
      padding-inline: 0.25rem;
    }
  }
  @media (forced-colors: active) {
    .grid td {
      border-color: Highlight;
    }
  }
`;
