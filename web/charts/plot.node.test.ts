import { describe, expect, test } from 'vitest';
import { clearerEnd, curvePath, frameOf } from './plot.js';

describe('still plots', () => {
  test('a gap begins a new stretch of the curve', () => {
    const frame = { x: (value: number) => value, y: (value: number) => value };
    const curve = { x: [0, 1, 2, 3], y: [5, 6, NaN, 8] };
    expect(curvePath(curve, frame, [true, true, false, true])).toBe('M0 5L1 6M3 8');
  });

  test('a power law is a straight line when both axes are logarithmic', () => {
    const x = [1, 10, 100];
    const frame = frameOf({ curves: [{ color: 'red', x, y: [3, 30, 300] }], xLog: true, yLog: true });
    const [a, b, c] = x.map((at) => ({ x: frame.x(at), y: frame.y(3 * at) }));
    expect([a!.x, b!.x, c!.x]).toEqual([0, 50, 100]);
    expect(b!.y).toBeCloseTo((a!.y + c!.y) / 2, 9);
    expect(frame.xTicks).toEqual([1, 10, 100]);
  });

  test('what cannot be drawn on a log axis does not move its ends', () => {
    const curve = { color: 'red', x: [1, 2, 3, 4], y: [1, 0, -5, Infinity] };
    const frame = frameOf({ curves: [curve], yLog: true });
    expect(Math.min(...frame.yTicks)).toBeGreaterThan(0);
    expect(Math.max(...frame.yTicks)).toBeLessThan(10);
    const wide = frameOf({ curves: [{ color: 'red', x: [0, 1, 10], y: [1, 2, 3] }], xLog: true });
    expect([wide.x(1), wide.x(10)]).toEqual([0, 100]);
  });

  test('a level line is always in view, and depth is counted in whole blocks', () => {
    const curve = { color: 'red', x: [0, 0.5, 1, 1.5, 2], y: [1, 1, 1, 1, 1] };
    const frame = frameOf({ curves: [curve], references: [{ value: 40, label: 'fp16' }], xWhole: true });
    expect(frame.y(40)).toBeGreaterThanOrEqual(0);
    expect(frame.xTicks).toEqual([0, 1, 2]);
  });

  test('the name of a level line stands where the curves are farther away', () => {
    const model = { curves: [{ color: 'red', x: [0, 1], y: [1, 9] }] };
    const frame = frameOf(model);
    expect([clearerEnd(frame, model, 1), clearerEnd(frame, model, 9)]).toEqual(['end', 'start']);
  });

  test('without data there is a frame all the same', () => {
    const frame = frameOf({ curves: [] });
    expect(Number.isFinite(frame.x(0.5)) && Number.isFinite(frame.y(0.5))).toBe(true);
  });
});
