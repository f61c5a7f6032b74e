import type { PlacementName } from 'normscope';
import type { MarkerShape } from '../../charts/markers.js';

export interface SeriesStyle {
  /** A CSS colour, readable on the surface of both themes. */
  color: string;
  dash: readonly number[];
  marker: MarkerShape;
}

/** How each placement is drawn in every chart: three independent signs, so that none carries meaning alone. */
const STYLES: Record<PlacementName, SeriesStyle> = {
  'pre-ln': { color: 'var(--_series-pre-ln)', dash: [], marker: 'triangle' },
  'peri-ln': { color: 'var(--_series-peri-ln)', dash: [9, 4], marker: 'circle' },
  'post-ln': { color: 'var(--_series-post-ln)', dash: [3, 3], marker: 'square' },
  none: { color: 'var(--_series-none)', dash: [12, 4, 2, 4], marker: 'diamond' },
  'output-ln': { color: 'var(--_series-output-ln)', dash: [6, 3, 2, 3], marker: 'plus' },
  plain: { color: 'var(--_muted)', dash: [2, 5], marker: 'bar' },
};

export function seriesStyle(placement: PlacementName): SeriesStyle {
  return STYLES[placement];
}
