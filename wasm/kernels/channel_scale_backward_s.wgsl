// groups: ceil(n_scale / 64)
// variants: tiled
// uses: column_product add_to_ds
// ds (+)= Σ x dy over the rows, and where s has one value over the columns too. A lane takes a scale.
const n_lane = 64u;

@compute @workgroup_size(n_lane)
fn channel_scale_backward_s(@builtin(local_invocation_index) lane: u32,
                            @builtin(workgroup_id) workgroup: vec3u,
                            @builtin(num_workgroups) n_workgroup: vec3u) {
  let scale = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (scale >= params.n_scale) { return; }
  var sum = column_product(workgroup.z, scale, 0u, params.n_row);
  if (params.n_scale == 1u) {
    for (var column = 1u; column < params.d; column += 1u) {
      sum += column_product(workgroup.z, column, 0u, params.n_row);
    }
  }
  add_to_ds(workgroup.z * params.n_scale + scale, sum);
}
