/** Keeps words in a picture from standing on each other. Coordinates grow to the right and downwards. */

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The box, moved up or down by its height until it meets none of the taken ones; where it was when there is no such place. */
export function freeBox(box: Box, taken: readonly Box[]): Box {
  const height = box.bottom - box.top;
  for (const lines of [0, -1, 1, -2, 2, -3]) {
    const moved = { ...box, top: box.top + lines * height, bottom: box.bottom + lines * height };
    if (!taken.some((other) => meets(moved, other))) return moved;
  }
  return box;
}

function meets(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** The box that meets no taken one and has the fewest points in it; the earlier one of equals. */
export function emptiest(
  boxes: readonly Box[],
  taken: readonly Box[],
  points: readonly { x: number; y: number }[],
): Box {
  const cost = (box: Box): number =>
    (taken.some((other) => meets(box, other)) ? 1e6 : 0) + points.filter((point) => holds(box, point)).length;
  return boxes.reduce((best, box) => (cost(box) < cost(best) ? box : best));
}

function holds(box: Box, { x, y }: { x: number; y: number }): boolean {
  return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
}
