/** Colour maps for heat maps: perceptually even, readable without red-green vision. */

export type Rgb = readonly [number, number, number];
export type ColorMapName = 'cividis' | 'viridis';

/** Nine evenly spaced anchors of each map; colours between them are interpolated linearly. */
const ANCHORS: Record<ColorMapName, readonly Rgb[]> = {
  cividis: [
    [0, 34, 78],
    [26, 56, 111],
    [65, 77, 107],
    [94, 98, 110],
    [124, 123, 120],
    [155, 148, 119],
    [188, 175, 111],
    [222, 203, 94],
    [254, 232, 56],
  ],
  viridis: [
    [68, 1, 84],
    [71, 45, 123],
    [59, 82, 139],
    [44, 114, 142],
    [33, 145, 140],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
  ],
};

/** The colour at `t` in [0, 1]; values outside are clamped. Channels are 0…255. */
export function colorAt(name: ColorMapName, t: number): Rgb {
  const anchors = ANCHORS[name];
  const place = Math.min(1, Math.max(0, t)) * (anchors.length - 1);
  const low = Math.min(Math.floor(place), anchors.length - 2);
  return mix(anchors[low]!, anchors[low + 1]!, place - low);
}

/** CSS gradient of the whole map, for a colour bar. */
export function cssGradient(name: ColorMapName, direction = 'to right'): string {
  const stops = ANCHORS[name].map(([r, g, b]) => `rgb(${r} ${g} ${b})`);
  return `linear-gradient(${direction}, ${stops.join(', ')})`;
}

function mix(a: Rgb, b: Rgb, t: number): Rgb {
  return [0, 1, 2].map((i) => Math.round(a[i]! + (b[i]! - a[i]!) * t)) as unknown as Rgb;
}
