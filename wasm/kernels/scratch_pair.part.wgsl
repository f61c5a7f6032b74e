// A piece's pair in scratch, [model][piece][2], for the pass that combines them. Needs n_piece and width.
fn keep_pair(pair: vec2f, piece: u32, model: u32, n_model: u32) {
  let per_model = (params.n / width + n_piece - 1u) / n_piece;
  let at = 2u * (model * per_model + piece);
  scratch[at] = pair.x;
  scratch[at + 1u] = pair.y;
}
