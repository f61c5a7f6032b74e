// LayerNorm and RMSNorm normalize rows. Value i of a line lies at `start + i * stride()`, its gamma at `feature + i *
// feature_step`.
fn n_line() -> u32 {
  return params.n_row;
}
fn n_value() -> u32 {
  return params.d;
}
fn start_of(model: u32, line: u32) -> u32 {
  return (model * params.n_row + line) * params.d;
}
fn feature_of(model: u32, line: u32) -> u32 {
  return model * params.d;
}
fn stride() -> u32 {
  return 1u;
}
const feature_step = 1u;
// Where the statistics of an element's line lie.
fn stats_at(model: u32, row: u32, column: u32) -> u32 {
  return model * params.n_row + row;
}
