// Inverted dropout of the values 4 block … 4 block + 3 of a model: kept where the random word, as a fraction, is at least
// the rate. Forward and backward draw the same words. Needs philox.
const n_lane = 64u;
const purpose_dropout = 3u;

fn dropout(values: vec4f, block: u32, model: u32) -> vec4f {
  if (params.train == 0u || params.rate == 0.0) { return values; }
  let key = (u32(seed[2u * model]) << 16u) | u32(seed[2u * model + 1u]);
  let words = random_block(key, purpose_dropout, params.stream, u32(control[8u * model]), block);
  let threshold = u32(params.rate * 4294967296.0);
  return select(vec4f(0.0), values * (1.0 / (1.0 - params.rate)), words >= vec4u(threshold));
}
