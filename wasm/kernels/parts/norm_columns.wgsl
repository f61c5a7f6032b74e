// BatchNorm normalizes columns, value by value. Value i of a line lies at `start + i * stride()`, its gamma at `feature +
// i * feature_stride`: one for the whole column.
fn n_line() -> u32 { return params.d; }
fn n_value() -> u32 { return params.n_row; }
fn n_item() -> u32 { return params.n_row; }
fn start_of(model: u32, line: u32) -> u32 { return model * params.n_row * params.d + line; }
fn feature_of(model: u32, line: u32) -> u32 { return model * params.d + line; }
fn stride() -> u32 { return params.d; }
const feature_stride = 0u;

// Where the statistics of an element's line lie.
fn stats_at(model: u32, row: u32, column: u32) -> u32 { return model * params.d + column; }
