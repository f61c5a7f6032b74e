import { css } from 'lit';

/** The rows of bars. The thumb of the slider is the end of the bar. */
export const benchStyles = css`
  .bench {
    --thumb: 18px;
    padding: 1.5rem;
    border: 1px solid var(--_line);
    border-radius: 14px;
    background: var(--_surface);
  }
  .bench h3 .aside {
    margin-left: 0.5rem;
  }
  .bars {
    margin: 0.875rem 0 0.75rem;
  }
  .bar-line {
    display: grid;
    grid-template-columns: 2rem minmax(0, 1.15fr) 5.75rem minmax(0, 1fr) 4.75rem;
    column-gap: 0.875rem;
    align-items: center;
    min-height: 34px;
  }
  .bar-line.head {
    align-items: end;
    min-height: 0;
    padding-bottom: 0.375rem;
    color: var(--_ink);
    font-size: 0.8125rem;
  }
  .bar-line.head em {
    margin-left: 0.375rem;
    color: var(--_muted);
  }
  .key {
    display: inline-block;
    width: 1.125rem;
    height: 0.75rem;
    margin-right: 0.375rem;
    vertical-align: -0.0625rem;
    background:
      linear-gradient(var(--_ink), var(--_ink)) center / 1.5px 100% no-repeat,
      color-mix(in oklab, var(--_ink) 9%, transparent);
  }
  .key.rmsnorm {
    background: color-mix(in oklab, var(--_ink) 9%, transparent);
  }
  .key.limit-key {
    width: 0;
    border-left: 1.5px dashed var(--_muted);
    background: none;
  }
  .feature {
    color: var(--_muted);
  }
  .value {
    font-variant-numeric: tabular-nums;
    text-align: right;
  }
  .bar-line svg {
    display: block;
    overflow: visible;
  }
  .track {
    position: relative;
    height: 34px;
  }
  .track svg {
    position: absolute;
    inset: 0 calc(var(--thumb) / 2);
    width: calc(100% - var(--thumb));
  }
  .track input {
    position: absolute;
    inset: 0;
    height: 34px;
    background: none;
    appearance: none;
  }
  .track input::-webkit-slider-runnable-track {
    height: 34px;
    background: none;
  }
  .track input::-moz-range-track {
    height: 34px;
    background: none;
  }
  .track input::-webkit-slider-thumb {
    width: var(--thumb);
    height: var(--thumb);
    margin-top: calc((34px - var(--thumb)) / 2);
    border: 2px solid var(--_accent);
    border-radius: 50%;
    background: var(--_surface);
    appearance: none;
    cursor: grab;
  }
  .track input::-moz-range-thumb {
    width: var(--thumb);
    height: var(--thumb);
    border: 2px solid var(--_accent);
    border-radius: 50%;
    background: var(--_surface);
    box-sizing: border-box;
    cursor: grab;
  }
  .track input:focus-visible {
    outline: none;
  }
  .track input:focus-visible::-webkit-slider-thumb {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  .track input:focus-visible::-moz-range-thumb {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  .track input:hover::-webkit-slider-thumb {
    background: var(--_accent-soft);
  }
  .bar-line .number {
    width: 100%;
    min-height: 1.875rem;
    padding: 0.125rem 0.5rem;
    border-color: var(--_line);
    text-align: right;
  }
  .bar-line .number.long {
    padding-inline: 0.125rem;
    font-size: 0.71875rem;
  }
  .bar-line .number:hover {
    border-color: var(--_line-strong);
  }
  .paste {
    display: flex;
    flex-wrap: wrap;
    align-items: start;
    gap: 0.375rem 0.5rem;
    margin-top: 1.25rem;
  }
  .paste label {
    flex-basis: 100%;
    color: var(--_muted);
    font-size: 0.8125rem;
  }
  .paste textarea {
    flex: 1 1 12rem;
    min-width: 0;
    min-height: 2.25rem;
    resize: vertical;
    field-sizing: content;
    max-height: 8rem;
  }
  .paste-note {
    min-height: 0;
    color: var(--_muted);
    font-size: 0.875rem;
  }
  .facts {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem 2.5rem;
    margin: 1.25rem 0 0;
    padding-top: 1rem;
    border-top: 1px solid var(--_line);
  }
  .facts dt {
    color: var(--_muted);
    font-size: 0.8125rem;
  }
  .facts dd {
    margin: 0;
    font-size: 1.1875rem;
    font-weight: 600;
    font-variant-numeric: tabular-nums;
  }
  .facts .limit {
    color: var(--_muted);
    font-size: 0.875rem;
    font-weight: 400;
    white-space: nowrap;
  }

  @container (max-width: 44rem) {
    .bench {
      padding: 1.125rem 1rem;
    }
    .bench h3 .aside {
      display: block;
      margin-left: 0;
    }
    .bar-line {
      grid-template-columns: 1.5rem minmax(0, 1fr) 5.25rem;
      column-gap: 0.625rem;
      padding: 0.25rem 0;
    }
    .bar-line:not(.head) + .bar-line {
      border-top: 1px solid var(--_line);
    }
    .bar-line svg.after {
      grid-column: 2;
      width: calc(100% - var(--thumb));
      margin-left: calc(var(--thumb) / 2);
      opacity: 0.85;
    }
    .bar-line.head .after {
      grid-column: 2;
    }
    .value.after {
      padding-right: 0.5rem;
    }
  }
`;
