// groups: ceil(n_out / 16) * ceil(n_row / 512)
// variant: n_row >= 2048 && cols * models < 4096
// scratch: n_out * ceil(n_row / 512)
// binds: dy scratch
// then: linear_backward_bias.total
// uses: linear_backward_bias_sums
// linear_backward_bias for many rows and few columns: every 512 rows make a sum of their own.
const n_row_chunk = 512u;

@compute @workgroup_size(n_lane)
fn linear_backward_bias(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_tile = (params.n_out + n_column - 1u) / n_column;
  let n_chunk = (params.n_row + n_row_chunk - 1u) / n_row_chunk;
  let group = group_index(workgroup, n_workgroup);
  let chunk = group / n_tile;
  let column = group % n_tile * n_column + lane % n_column;
  let begin = min(params.n_row, chunk * n_row_chunk);
  let end = min(params.n_row, begin + n_row_chunk);
  let share = column_sum(lane / n_column, min(column, params.n_out - 1u), workgroup.z, begin, end);
  let sum = sum_lanes(lane, vec2f(share, 0.0), n_lane, n_column).x;
  if (lane >= n_column || column >= params.n_out || chunk >= n_chunk) { return; }
  scratch[(workgroup.z * n_chunk + chunk) * params.n_out + column] = sum; // [model][chunk][n_out]
}
