// groups: ceil(d / 64)
// binds: scratch
// then: observe_moments.total_team
// uses: column_pieces
// The variance of every column from the means and squares of its pieces (Chan, Golub & LeVeque 1979). A lane takes a column.
const n_lane = 64u;

fn rows_of(piece: u32) -> f32 {
  return f32(min(params.n_row - piece * n_piece_row(), n_piece_row()));
}

@compute @workgroup_size(n_lane)
fn observe_moments(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.d) { return; }
  let begin = workgroup.z * n_scratch();
  let origin = scratch[begin + piece_at(0u, column)];
  var sum = 0.0;
  for (var i = 0u; i < n_piece(); i += 1u) { sum += rows_of(i) * (scratch[begin + piece_at(i, column)] - origin); }
  let mean = origin + sum / f32(params.n_row);
  var square = 0.0;
  for (var i = 0u; i < n_piece(); i += 1u) {
    let at = begin + piece_at(i, column);
    let offset = scratch[at] - mean;
    square += scratch[at + 1u] + rows_of(i) * offset * offset;
  }
  scratch[begin + 4u * params.n_row + column] = square / f32(params.n_row);
}
