/** Pure arithmetic of the line chart: ranges, ticks, where markers go. */
import { linearTicks, logTicks } from './ticks.js';

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A little air above and below; all values finite. An empty list gives [0, 1]. */
export function linearRange(values: readonly number[]): [number, number] {
  if (values.length === 0) return [0, 1];
  const low = Math.min(...values);
  const high = Math.max(...values);
  const air = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
  return [low >= 0 && low < air * 2 ? 0 : low - air, high + air];
}

/** At least one decade, with a tenth of it as air; non-positive values are ignored. */
export function logRange(values: readonly number[]): [number, number] {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  if (logs.length === 0) return [0.1, 10];
  let low = Math.min(...logs);
  let high = Math.max(...logs);
  const air = Math.max(0.12, (high - low) * 0.06);
  const missing = Math.max(0, 1 - (high - low)) / 2;
  low -= air + missing;
  high += air + missing;
  return [10 ** low, 10 ** high];
}

/** Between values and positions on the plot's own linear axis. */
export interface AxisMap {
  to: (value: number) => number;
  from: (position: number) => number;
}

/**
 * The plot library gives an axis with more than 17 whole digits neither grid nor labels: a log axis is therefore drawn as a
 * linear one of exponents, a linear axis that reaches that far in units of a power of ten.
 */
export function axisMap(log: boolean, largest: number): AxisMap {
  if (log) return { to: Math.log10, from: (position) => 10 ** position };
  const unit = largest < 1e12 ? 1 : 10 ** Math.floor(Math.log10(largest));
  return { to: (value) => value / unit, from: (position) => position * unit };
}

/** Ticks of the value axis; a log axis that shows under two powers of ten gets 1-2-5 steps. */
export function valueTicks(low: number, high: number, log: boolean, height: number): number[] {
  const count = Math.max(2, Math.round(height / 48));
  if (!log) return linearTicks(low, high, count);
  const powers = logTicks(low, high, count);
  return powers.length > 2 ? powers : oneTwoFive(low, high);
}

function oneTwoFive(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e += 1) {
    for (const digit of [1, 2, 5]) ticks.push(Number(`${digit}e${e}`));
  }
  return ticks.filter((tick) => tick >= low && tick <= high);
}

/** Short text of a tick: plain from 0.001 to 9999, else digit × 10ⁿ. */
export function formatTick(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e4) return String(Number(value.toPrecision(6))).replace('-', '−');
  const exponent = Math.floor(Math.log10(size) + 1e-9);
  const digit = Number((value / 10 ** exponent).toPrecision(3));
  const power = `10${superscript(exponent)}`;
  return digit === 1 ? power : `${digit}·${power}`;
}

function superscript(exponent: number): string {
  const digits = Array.from(String(Math.abs(exponent)), (digit) => SUPERSCRIPTS[Number(digit)]).join('');
  return exponent < 0 ? `⁻${digits}` : digits;
}

/** First index whose value is above `top`; −1 when none is. */
export function leavesAt(values: readonly (number | null)[], top: number): number {
  return values.findIndex((value) => value !== null && value > top);
}

/** About `wanted` indices of present values, evenly spread; `phase` shifts them so that series on top of each other differ. */
export function markerIndices(values: readonly (number | null)[], wanted: number, phase = 0): number[] {
  const present = values.flatMap((value, index) => (value === null ? [] : [index]));
  if (present.length <= wanted * 2) return present;
  const stride = present.length / wanted;
  const start = stride * (0.35 + 0.3 * (phase % 2));
  return Array.from(
    { length: wanted },
    (_, k) => present[Math.min(present.length - 1, Math.round(start + k * stride))]!,
  );
}
