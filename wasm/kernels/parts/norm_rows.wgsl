// LayerNorm and RMSNorm normalize rows. Item i of a line (a value, or four of them) lies at `start + i * stride()`, its
// gamma at `feature + i * feature_stride`.
fn n_line() -> u32 { return params.n_row; }
fn n_value() -> u32 { return params.d; }
fn n_item() -> u32 { return params.d / width; }
fn start_of(model: u32, line: u32) -> u32 { return (model * params.n_row + line) * n_item(); }
fn feature_of(model: u32, line: u32) -> u32 { return model * n_item(); }
fn stride() -> u32 { return 1u; }
const feature_stride = 1u;

// Where the statistics of an element's line lie.
fn stats_at(model: u32, row: u32, column: u32) -> u32 { return model * params.n_row + row; }
