// variants: software large
// tile: rows 16, cols 16
// uses: linear_backward_x_factors linear_backward_x_scalars matmul_terms matmul_slices
// dx = dy W for small or odd matrices.
@compute @workgroup_size(n_lane)
fn linear_backward_x(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  model = workgroup.z;
  let n_across = (params.n_in + 15u) / 16u;
  let tile = group_index(workgroup, n_workgroup);
  multiply_slices(lane, tile / n_across * 16u, tile % n_across * 16u, 0u, params.n_out);
}
