import { css } from 'lit';

/** Colours and strokes of every chart; the elements' tokens give the values. */
export const chartStyles = css`
  .bar {
    fill: var(--_accent);
  }
  .bar.positive {
    fill: var(--_positive);
  }
  .bar.negative {
    fill: var(--_negative);
  }
  .band {
    fill: var(--_ink);
    opacity: 0.06;
  }
  .mark {
    stroke: var(--_line-strong);
    stroke-width: 1;
  }
  .mark-zero {
    stroke: var(--_line-strong);
    opacity: 0.55;
  }
  .mark-mean {
    stroke: var(--_ink);
    stroke-width: 1.5;
  }
  .mark-limit {
    stroke: var(--_muted);
    stroke-dasharray: 3 3;
  }
  .axis {
    stroke: var(--_line-strong);
    stroke-width: 1;
  }
  .tick {
    fill: var(--_muted);
    font: 0.6875rem var(--_font);
    font-variant-numeric: tabular-nums;
  }
  @media (forced-colors: active) {
    .bar,
    .bar.positive,
    .bar.negative {
      fill: CanvasText;
      stroke: CanvasText;
    }
    .bar.negative {
      fill: Canvas;
    }
    .mark,
    .axis {
      stroke: CanvasText;
      opacity: 1;
    }
    .tick {
      fill: CanvasText;
    }
  }
`;
