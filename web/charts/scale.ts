/** A linear or logarithmic map from data to pixels. */
export interface Scale {
  (value: number): number;
  readonly domain: readonly [number, number];
  readonly range: readonly [number, number];
  invert(pixel: number): number;
}

/** Linear; a domain of zero width is opened by ±1 so that nothing divides by zero. */
export function linearScale(domain: readonly [number, number], range: readonly [number, number]): Scale {
  const [low, high] = openDomain(domain);
  const slope = (range[1] - range[0]) / (high - low);
  const map = (value: number) => range[0] + (value - low) * slope;
  const invert = (pixel: number) => low + (pixel - range[0]) / slope;
  return Object.assign(map, { domain: [low, high] as const, range, invert });
}

/** Logarithmic, base 10; values at or below 0 land on the low end of the domain. */
export function logScale(domain: readonly [number, number], range: readonly [number, number]): Scale {
  const low = Math.max(domain[0], Number.MIN_VALUE);
  const high = Math.max(domain[1], low * 10);
  const inner = linearScale([Math.log10(low), Math.log10(high)], range);
  const map = (value: number) => inner(Math.log10(Math.max(value, low)));
  const invert = (pixel: number) => 10 ** inner.invert(pixel);
  return Object.assign(map, { domain: [low, high] as const, range, invert });
}

/** Smallest and largest finite value; [0, 0] when there is none. */
export function extent(values: Iterable<number>): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 0];
}

function openDomain([low, high]: readonly [number, number]): [number, number] {
  if (high > low) return [low, high];
  const half = Math.max(Math.abs(low), 1) * 0.5;
  return [low - half, low + half];
}
