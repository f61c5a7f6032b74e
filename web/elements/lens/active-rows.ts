import { rowName, type Grid } from './grid.js';

/** One row that is computed: a token of the grid or a row of padding. */
export interface ActiveRow {
  /** Index in the grid, or −1 for padding. */
  token: number;
  name: string;
  values: readonly number[];
}

const PADDING_ROWS = 2;

export interface BatchChoice {
  /** Only the selected token. */
  alone: boolean;
  /** Two rows of zeros at the end. */
  padded: boolean;
  /** What padding is called. */
  padding: string;
}

/** The rows that go to the norm together. */
export function activeRows(grid: Grid, { alone, padded, padding }: BatchChoice): ActiveRow[] {
  const tokens = grid.rows.map((values, token) => ({ token, name: rowName(grid, token), values }));
  const rows: ActiveRow[] = alone ? tokens.filter((row) => row.token === grid.selected) : tokens;
  if (!padded) return rows;
  const zeros = new Array<number>(grid.rows[0]?.length ?? 0).fill(0);
  return [...rows, ...Array.from({ length: PADDING_ROWS }, () => ({ token: -1, name: padding, values: zeros }))];
}
