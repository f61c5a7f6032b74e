/** Grids to begin with: four tokens of "The dog sat ." after some layer, d features each. */

export type PresetName = 'course' | 'outlier' | 'constant' | 'offset' | 'heavy-tail';

export const TOKEN_NAMES = ['The', 'dog', 'sat', '.'] as const;

/** The first row is the one many courses compute by hand; the other three are ours. */
const course = [
  [3.2, -1.8, 0.5, 2.1],
  [0.4, 1.1, -0.9, 0.2],
  [-2, 0.3, 1.7, -0.6],
  [1.4, 2.6, 0.8, 3],
];

export const PRESETS: Record<PresetName, readonly (readonly number[])[]> = {
  course,
  /** One feature far from the rest, as in the "massive activations" of trained models. */
  outlier: [
    [0.8, -1.1, 0.3, 40, -0.6, 1.2, -0.2, 0.5],
    [-0.4, 0.9, 1.3, -0.7, 0.2, -1.5, 0.6, 0.1],
    [1.1, 0.2, -0.8, 0.6, -1.3, 0.4, 0.9, -0.5],
    [-0.9, -0.1, 0.7, 1.4, 0.3, -0.6, -1.2, 1],
  ],
  /** No spread at all: only ε keeps the division finite. The last row has a spread far below √ε. */
  constant: [
    [2, 2, 2, 2],
    [-1, -1, -1, -1],
    [0, 0, 0, 0],
    [1.5, 1.5, 1.5, 1.501],
  ],
  /** The course's rows, moved by a common number. */
  offset: course.map((row) => row.map((value) => Number((value + 10_000).toFixed(1)))),
  'heavy-tail': [
    [0.3, -0.6, 0.1, 1.2, -0.2, 0.5, -9.4, 0.8, -0.4, 0.2, 6.1, -1.1, 0.6, -0.3, 0, 2.4],
    [-0.5, 0.7, -0.1, -1.6, 0.4, 3.8, 0.2, -0.8, 1, -0.3, 0.1, 0.9, -5.2, 0.6, -0.7, 0.3],
    [0.9, 0.2, -1.3, 0.4, -0.6, 0.1, 0.7, -2.9, 0.3, 8.3, -0.2, 0.5, -0.4, 1.1, -0.9, 0],
    [-0.2, 1.4, 0.6, -0.5, 0.8, -0.1, -1, 0.3, 4.6, -0.7, 0.2, -0.3, 0.4, -7.7, 0.5, 1.3],
  ],
};

export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];

/** Rows for a width that nobody prepared: fixed numbers of ours between −2 and 2, one decimal. */
export function filler(row: number, width: number): number[] {
  return Array.from({ length: width }, (_, index) => {
    const wave = Math.sin(12.9898 * (index + 1) + 78.233 * (row + 1)) * 43758.5453;
    return Math.round((wave - Math.floor(wave)) * 40 - 20) / 10;
  });
}
