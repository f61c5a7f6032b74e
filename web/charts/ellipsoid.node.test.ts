import { describe, expect, test } from 'vitest';
import { projectedOutline, squareDomain } from './ellipsoid.js';

const reach = (outline: readonly (readonly [number, number])[], axis: 0 | 1) =>
  Math.max(...outline.map((point) => point[axis]));

describe('the shadow of an ellipsoid', () => {
  test('along its own axes is the ellipse of the two radii around the centre', () => {
    const matrix = [
      [3, 0, 0],
      [0, 2, 0],
      [0, 0, 1],
    ];
    const outline = projectedOutline({ center: [10, 0, 0], matrix }, [0, 2]);
    expect(reach(outline, 0)).toBeCloseTo(13, 9);
    expect(reach(outline, 1)).toBeCloseTo(1, 9);
    for (const [x, y] of outline) expect(((x - 10) / 3) ** 2 + y ** 2).toBeCloseTo(1, 9);
  });

  test('holds every point of a turned body, and touches it', () => {
    const matrix = [
      [2, 1],
      [0.5, 1.5],
    ];
    const outline = projectedOutline({ center: [0, 0], matrix }, [0, 1]);
    // The farthest point of { A u } in direction n is ‖Aᵀ n‖ away.
    for (const [n0, n1] of [
      [1, 0],
      [0, 1],
      [1, 1],
      [1, -2],
    ] as const) {
      const farthest = Math.hypot(...[0, 1].map((k) => n0 * matrix[0]![k]! + n1 * matrix[1]![k]!));
      const reached = Math.max(...outline.map(([x, y]) => n0 * x + n1 * y));
      expect(reached).toBeLessThanOrEqual(farthest + 1e-9);
      expect(reached).toBeGreaterThan(farthest * 0.999);
    }
  });

  test('of a body without extent is a point', () => {
    const outline = projectedOutline(
      {
        center: [1, 2],
        matrix: [
          [0, 0],
          [0, 0],
        ],
      },
      [0, 1],
    );
    expect(outline.every(([x, y]) => x === 1 && y === 2)).toBe(true);
  });

  test('is drawn on axes of equal length, so that a circle stays a circle', () => {
    const [[x0, x1], [y0, y1]] = squareDomain([
      [0, 0],
      [10, 1],
      [NaN, 5],
    ]);
    expect(x1 - x0).toBeCloseTo(y1 - y0, 9);
    expect(x0).toBeLessThan(0);
    expect(x1).toBeGreaterThan(10);
  });
});
