/** Names of residual points and parameter groups, as the package spells them, turned into places in the net. */

export type PointKind = 'embedding' | 'attention' | 'mlp' | 'block' | 'other';

export interface ResidualPoint {
  name: string;
  /** Depth in blocks: 0 after the embedding, l after block l, l − ½ in the middle of block l. */
  depth: number;
  /** The block, counted from 1; 0 for the embedding. */
  block: number;
  kind: PointKind;
}

export function residualPoint(name: string): ResidualPoint {
  const whole = /^blocks\.(\d+)$/.exec(name);
  if (whole) return { name, depth: Number(whole[1]) + 1, block: Number(whole[1]) + 1, kind: 'block' };
  const match = /^blocks\.(\d+)\.resid_(mid|post)$/.exec(name);
  if (!match) return { name, depth: 0, block: 0, kind: name === 'resid_embedding' ? 'embedding' : 'other' };
  const block = Number(match[1]) + 1;
  return match[2] === 'mid'
    ? { name, depth: block - 0.5, block, kind: 'attention' }
    : { name, depth: block, block, kind: 'mlp' };
}

/**
 * Gradient norm per block, from norms per parameter group: a group named exactly like the block (`blocks.3`) is taken as it
 * is, groups below it (`blocks.3.attn`) are joined as √Σ n².
 */
export function blockGradNorms(groups: readonly string[], norms: ArrayLike<number>): { block: number; norm: number }[] {
  const squares = new Map<number, number>();
  const whole = new Map<number, number>();
  groups.forEach((group, index) => {
    const match = /^blocks\.(\d+)(\.|$)/.exec(group);
    if (!match) return;
    const block = Number(match[1]) + 1;
    const norm = norms[index] ?? Number.NaN;
    if (match[2] === '') whole.set(block, norm);
    squares.set(block, (squares.get(block) ?? 0) + norm * norm);
  });
  const blocks = [...squares.keys()].sort((a, b) => a - b);
  return blocks.map((block) => ({ block, norm: whole.get(block) ?? Math.sqrt(squares.get(block)!) }));
}

/** Words for a step by its last linear map: 'blocks.2.attn.out_proj' → "block 3, attention"; what it does not know stays. */
export function stepName(
  places: { attention: (block: string) => string; mlp: (block: string) => string; block: (block: string) => string },
  step: string,
): string {
  const match = /^blocks\.(\d+)(?:\.(attn|mlp)\b)?/.exec(step);
  if (!match) return step;
  const block = String(Number(match[1]) + 1);
  if (match[2] === 'attn') return places.attention(block);
  return match[2] === 'mlp' ? places.mlp(block) : places.block(block);
}
