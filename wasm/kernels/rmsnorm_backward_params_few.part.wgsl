// dgamma = sum over rows of dy x_hat. A lane sums a whole column.
@compute @workgroup_size(n_lane)
fn rmsnorm_backward_params(@builtin(local_invocation_index) lane: u32,
                           @builtin(workgroup_id) workgroup: vec3u,
                           @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.d / width) { return; }
  write_sums(workgroup.z, column, sum_column(workgroup.z, 0u, params.n_row, column));
}
