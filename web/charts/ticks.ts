/** Round numbers for an axis. */

/** About `count` values at a step of 1, 2 or 5 times a power of ten, inside [low, high]. */
export function linearTicks(low: number, high: number, count = 5): number[] {
  if (!(high > low) || count < 1) return Number.isFinite(low) ? [low] : [];
  const step = tickStep(low, high, count);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => clean((first + index) * step, step));
}

/** The step that linearTicks uses. */
export function tickStep(low: number, high: number, count = 5): number {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const ratio = rough / power;
  return power * (ratio < Math.SQRT2 ? 1 : ratio < Math.sqrt(10) ? 2 : ratio < Math.sqrt(50) ? 5 : 10);
}

/** Powers of ten inside [low, high], thinned to about `count`; both must be positive. */
export function logTicks(low: number, high: number, count = 5): number[] {
  if (!(low > 0) || !(high > low)) return low > 0 ? [low] : [];
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const stride = Math.max(1, Math.ceil((last - first + 1) / count));
  const ticks: number[] = [];
  for (let exponent = first; exponent <= last; exponent += stride) ticks.push(Number(`1e${exponent}`));
  return ticks;
}

/** Digits after the point that tell neighbouring ticks apart. */
export function tickDecimals(ticks: readonly number[]): number {
  const step = ticks.length > 1 ? Math.abs((ticks[1] as number) - (ticks[0] as number)) : 1;
  return step > 0 && step < 1 ? Math.min(12, Math.ceil(-Math.log10(step) - 1e-9)) : 0;
}

function clean(value: number, step: number): number {
  const digits = Math.max(0, Math.min(15, 2 - Math.floor(Math.log10(step))));
  return Number(value.toFixed(digits)) + 0;
}
