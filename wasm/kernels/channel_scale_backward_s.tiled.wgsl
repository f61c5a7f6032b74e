// groups: ceil(n_row / 64) * ceil(d / 64)
// variant: !software
// binds: x dy scratch
// scratch: ceil(n_row / 64) * d
// then: channel_scale_backward_s.total
// uses: column_product
// scratch[piece][column] = Σ x dy over 64 rows of a column, for a second pass. A lane takes a column.
const n_lane = 64u;
const n_piece_row = 64u;

@compute @workgroup_size(n_lane)
fn channel_scale_backward_s(@builtin(local_invocation_index) lane: u32,
                            @builtin(workgroup_id) workgroup: vec3u,
                            @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let n_tile = (params.d + n_lane - 1u) / n_lane;
  let n_piece = (params.n_row + n_piece_row - 1u) / n_piece_row;
  let piece = group / n_tile;
  let column = group % n_tile * n_lane + lane;
  if (piece >= n_piece || column >= params.d) { return; }
  let first = piece * n_piece_row;
  let sum = column_product(workgroup.z, column, first, min(params.n_row, first + n_piece_row));
  scratch[(workgroup.z * n_piece + piece) * params.d + column] = sum;
}
