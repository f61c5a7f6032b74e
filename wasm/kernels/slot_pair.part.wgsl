// A model's slot of `partial`, which several kernels of a step fill one by one.
fn keep_pair(pair: vec2f, piece: u32, model: u32, n_model: u32) {
  let at = model * (arrayLength(&partial) / n_model) + 2u * params.slot;
  partial[at] = pair.x;
  partial[at + 1u] = pair.y;
}
