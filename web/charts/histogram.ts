import { svg, type SVGTemplateResult } from 'lit';
import { linearScale } from './scale.js';
import { linearTicks, tickDecimals } from './ticks.js';

export interface Dot {
  /** Index of the bin. */
  bin: number;
  /** How many dots lie below it. */
  level: number;
  value: number;
}

/** Each finite value as one dot, stacked in equal bins over the domain; values outside join the end bins. */
export function dotStacks(values: readonly number[], domain: readonly [number, number], nBin: number): Dot[] {
  const levels = new Array<number>(nBin).fill(0);
  const bin = linearScale(domain, [0, nBin]);
  return values.filter(Number.isFinite).map((value) => {
    const index = Math.min(nBin - 1, Math.max(0, Math.floor(bin(value))));
    const level = levels[index] as number;
    levels[index] = level + 1;
    return { bin: index, level, value };
  });
}

export interface DotHistogram {
  values: readonly number[];
  domain: readonly [number, number];
  width: number;
  height: number;
  /** Bins over the width. Default 31, odd so that zero of a symmetric domain lies in a bin's middle. */
  nBin?: number;
}

const AXIS = 22;

/** Pixels that the highest stack needs at the dots' full size, axis included. */
export function dotHistogramHeight(
  values: readonly number[],
  domain: readonly [number, number],
  width: number,
  nBin = 31,
): number {
  const highest = dotStacks(values, domain, nBin).reduce((most, dot) => Math.max(most, dot.level + 1), 1);
  return AXIS + 8 + highest * ((width - 16) / nBin);
}

/** A histogram whose columns are dots, with an axis below. */
export function dotHistogram({ values, domain, width, height, nBin = 31 }: DotHistogram): SVGTemplateResult {
  const x = linearScale(domain, [8, width - 8]);
  const pitch = (width - 16) / nBin;
  const dots = dotStacks(values, domain, nBin);
  const highest = Math.max(0, ...dots.map((dot) => dot.level)) + 1;
  const floor = height - AXIS;
  const rise = Math.min(pitch, (floor - 4) / highest);
  const ticks = linearTicks(domain[0], domain[1], Math.max(2, Math.floor(width / 90)));
  const decimals = tickDecimals(ticks);
  return svg`
    <line class="axis" x1="4" x2=${width - 4} y1=${floor + 1} y2=${floor + 1} />
    ${ticks.map(
      (tick) => svg`<line class="axis" x1=${x(tick)} x2=${x(tick)} y1=${floor + 1} y2=${floor + 5} />
        <text class="tick" x=${x(tick)} y=${height - 4} text-anchor="middle">${tick.toFixed(decimals).replace('-', '−')}</text>`,
    )}
    ${dots.map(
      (dot) => svg`<circle class="bar ${dot.value < 0 ? 'negative' : 'positive'}" cx=${8 + pitch * (dot.bin + 0.5)}
        cy=${floor - rise * (dot.level + 0.5)} r=${Math.max(1.5, Math.min(pitch, rise) * 0.42)} />`,
    )}`;
}
