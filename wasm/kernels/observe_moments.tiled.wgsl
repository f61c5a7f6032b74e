// groups: n_row + ceil(d / 64) * ceil(n_row / (32 * ceil(n_row / 2048)))
// variant: !software
// binds: x scratch
// scratch: n_row * 4 + d + d * 2 * ceil(n_row / (32 * ceil(n_row / 2048)))
// then: observe_moments.columns
// uses: together row_moments column_moments column_pieces
// scratch: four moments of every row, room for the variance of every column, then { mean, Σ (x - mean)² } of every piece of
// a column. The first workgroups take a row each, the others a piece of 64 columns.
const n_lane = 64u;

@compute @workgroup_size(n_lane)
fn observe_moments(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let model = workgroup.z;
  let begin = model * n_scratch();
  if (group < params.n_row) {
    let moments = row_moments(lane, (model * params.n_row + group) * params.d);
    if (lane == 0u) { keep_row(moments, begin + 4u * group); }
    return;
  }
  let n_tile = (params.d + n_lane - 1u) / n_lane;
  let piece = (group - params.n_row) / n_tile;
  let column = (group - params.n_row) % n_tile * n_lane + lane;
  if (piece >= n_piece() || column >= params.d) { return; }
  let moments = column_moments(model, column, piece * n_piece_row(), min(params.n_row, (piece + 1u) * n_piece_row()));
  let at = begin + piece_at(piece, column);
  scratch[at] = moments.x;
  scratch[at + 1u] = moments.y;
}
