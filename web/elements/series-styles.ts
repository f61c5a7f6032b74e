import type { MarkerShape } from '../charts/markers.js';

export interface SeriesStyle {
  /** A CSS colour, readable on the surface of both themes. */
  color: string;
  dash: readonly number[];
  marker: MarkerShape;
}

const DASHES: Record<'solid' | 'long' | 'short' | 'dots' | 'mixed', readonly number[]> = {
  solid: [],
  long: [9, 4],
  short: [4, 3],
  dots: [2, 4],
  mixed: [10, 4, 2, 4],
};

/** How each placement is drawn in every chart: colour, dash and marker; no two share dash and marker. */
const STYLES: Record<string, readonly [color: string, dash: keyof typeof DASHES, marker: MarkerShape]> = {
  none: ['series-none', 'mixed', 'diamond'],
  plain: ['muted', 'dots', 'bar'],
  'plain-ln': ['series-plain-ln', 'short', 'bar'],
  'post-ln': ['series-post-ln', 'short', 'square'],
  'pre-ln': ['series-pre-ln', 'solid', 'triangle'],
  'peri-ln': ['series-peri-ln', 'long', 'circle'],
  'output-ln': ['series-output-ln', 'mixed', 'plus'],
  'sandwich-ln': ['series-sandwich-ln', 'dots', 'circle'],
  deepnorm: ['series-deepnorm', 'long', 'square'],
  'ln-scaling': ['series-ln-scaling', 'long', 'triangle'],
  rezero: ['series-rezero', 'short', 'diamond'],
  layerscale: ['series-layerscale', 'mixed', 'triangle'],
  'mix-ln': ['series-mix-ln', 'solid', 'diamond'],
  hybridnorm: ['series-hybridnorm', 'long', 'plus'],
  keel: ['series-keel', 'mixed', 'square'],
  own: ['ink', 'solid', 'circle'],
};

export function seriesStyle(placement: string): SeriesStyle {
  const [color, dash, marker] = STYLES[placement] ?? (['muted', 'solid', 'plus'] as const);
  return { color: `var(--_${color})`, dash: DASHES[dash], marker };
}
