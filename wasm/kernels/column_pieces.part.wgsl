// Columns in at most 64 pieces of some 32-row blocks, and where a piece lies in a model's scratch.
fn n_piece_row() -> u32 { return 32u * ((params.n_row + 2047u) / 2048u); }
fn n_piece() -> u32 { return (params.n_row + n_piece_row() - 1u) / n_piece_row(); }
fn n_scratch() -> u32 { return 4u * params.n_row + params.d + 2u * n_piece() * params.d; }
fn piece_at(piece: u32, column: u32) -> u32 { return 4u * params.n_row + params.d + 2u * (piece * params.d + column); }
