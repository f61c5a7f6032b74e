// Matrix products, attention, softmax and embedding as plain loops in double, after their formulas.

type Numbers = ArrayLike<number>;
type Sums = Record<string, Float64Array>;

export interface LinearShape {
  n_row: number;
  n_in: number;
  n_out: number;
}

/** y = x Wᵀ + b and the gradients of x, W and b for dy; W: [n_out, n_in]. */
export function linearLoops(
  { n_row, n_in, n_out }: LinearShape,
  { x, weight, bias, dy }: Record<'x' | 'weight' | 'dy', Numbers> & { bias?: Numbers },
): Sums {
  const y = new Float64Array(n_row * n_out);
  const dx = new Float64Array(n_row * n_in);
  const dweight = new Float64Array(n_out * n_in);
  const dbias = new Float64Array(n_out);
  for (let row = 0; row < n_row; row += 1)
    for (let out = 0; out < n_out; out += 1) {
      const at = row * n_out + out;
      y[at] = bias ? bias[out]! : 0;
      dbias[out]! += dy[at]!;
      for (let k = 0; k < n_in; k += 1) {
        y[at]! += x[row * n_in + k]! * weight[out * n_in + k]!;
        dx[row * n_in + k]! += dy[at]! * weight[out * n_in + k]!;
        dweight[out * n_in + k]! += dy[at]! * x[row * n_in + k]!;
      }
    }
  return { y, dx, dweight, dbias };
}

export interface AttentionShape {
  n_batch: number;
  n_query: number;
  n_key: number;
  n_head: number;
  d_head: number;
  causal: number;
  query_offset: number;
  has_mask: number;
  scale: number;
}

/** y = softmax(scale q kᵀ) v over the visible keys, and the gradients of q, k and v for dy. */
export function attentionLoops(
  shape: AttentionShape,
  { q, k, v, dy, mask }: Record<'q' | 'k' | 'v' | 'dy', Numbers> & { mask?: Numbers },
): Sums {
  const { n_batch, n_query, n_key, n_head, d_head, scale } = shape;
  const width = n_head * d_head;
  const sums: Sums = {
    y: new Float64Array(q.length),
    probs: new Float64Array(n_batch * n_head * n_query * n_key),
    dq: new Float64Array(q.length),
    dk: new Float64Array(k.length),
    dv: new Float64Array(k.length),
  };
  const sees = (query: number, key: number) =>
    !(shape.causal && key > query + shape.query_offset) && (!mask || mask[query * n_key + key] !== 0);
  for (let b = 0; b < n_batch; b += 1)
    for (let h = 0; h < n_head; h += 1)
      for (let query = 0; query < n_query; query += 1) {
        const row = (b * n_query + query) * width + h * d_head;
        const keys = Array.from({ length: n_key }, (_, key) => key).filter((key) => sees(query, key));
        const at = (key: number) => (b * n_key + key) * width + h * d_head;
        const dot = (a: Numbers, other: Numbers, key: number) => {
          let sum = 0;
          for (let c = 0; c < d_head; c += 1) sum += a[row + c]! * other[at(key) + c]!;
          return sum;
        };
        const p = softmaxLoop(keys.map((key) => scale * dot(q, k, key)));
        const dp = keys.map((key) => dot(dy, v, key));
        const ds = softmaxGradientLoop(p, dp).map((value) => scale * value);
        keys.forEach((key, j) => {
          sums.probs![((b * n_head + h) * n_query + query) * n_key + key] = p[j]!;
          for (let c = 0; c < d_head; c += 1) {
            sums.y![row + c]! += p[j]! * v[at(key) + c]!;
            sums.dq![row + c]! += ds[j]! * k[at(key) + c]!;
            sums.dk![at(key) + c]! += ds[j]! * q[row + c]!;
            sums.dv![at(key) + c]! += p[j]! * dy[row + c]!;
          }
        });
      }
  return sums;
}

/** e^z / Σ e^z of one row. */
export function softmaxLoop(z: readonly number[]): number[] {
  const largest = Math.max(...z);
  const powers = z.map((value) => Math.exp(value - largest));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((value) => value / sum);
}

/** p (dp - Σ p dp) of one row. */
export function softmaxGradientLoop(p: readonly number[], dp: readonly number[]): number[] {
  const weighted = p.reduce((sum, value, i) => sum + value * dp[i]!, 0);
  return p.map((value, i) => value * (dp[i]! - weighted));
}

export interface EmbeddingShape {
  n_batch: number;
  n_ctx: number;
  d: number;
  n_vocab: number;
}

/** y[b, t] = token_table[token] + position_table[t] and the gradients of both tables for dy. */
export function embeddingLoops(
  { n_batch, n_ctx, d, n_vocab }: EmbeddingShape,
  { tokens, token_table, position_table, dy }: Record<'tokens' | 'token_table' | 'position_table' | 'dy', Numbers>,
): Sums {
  const y = new Float64Array(n_batch * n_ctx * d);
  const dtoken_table = new Float64Array(n_vocab * d);
  const dposition_table = new Float64Array(n_ctx * d);
  for (let row = 0; row < n_batch * n_ctx; row += 1)
    for (let c = 0; c < d; c += 1) {
      const token = tokens[row]! * d + c;
      const position = (row % n_ctx) * d + c;
      y[row * d + c] = token_table[token]! + position_table[position]!;
      dtoken_table[token]! += dy[row * d + c]!;
      dposition_table[position]! += dy[row * d + c]!;
    }
  return { y, dtoken_table, dposition_table };
}
