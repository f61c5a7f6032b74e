// groups: ceil(ceil(n_row / 8) * ceil(n_in / 8) / 16)
// variant: software
// uses: linear_backward_x_factors linear_backward_x_scalars matmul_terms matmul_block
// linear_backward_x without workgroup memory: a lane takes 8 x 8 results.
const n_lane = 16u;

@compute @workgroup_size(n_lane)
fn linear_backward_x(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  model = workgroup.z;
  let n_across = (params.n_in + 7u) / 8u;
  let block = group_index(workgroup, n_workgroup) * n_lane + lane;
  let row = block / n_across * 8u;
  let column = block % n_across * 8u;
  if (row >= params.n_row) { return; }
  write_block(row, column, multiply_block(row, column, 0u, params.n_out));
}
