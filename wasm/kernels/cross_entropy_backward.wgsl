// groups: ceil(n_row * n_class / 256)
// variants: wide
// vec4: rows loss
// uses: scalar exp cross_entropy_slope
// A lane takes a logit.
const n_lane = 256u;

@compute @workgroup_size(n_lane)
fn cross_entropy_backward(@builtin(local_invocation_index) lane: u32,
                          @builtin(workgroup_id) workgroup: vec3u,
                          @builtin(num_workgroups) n_workgroup: vec3u) {
  let index = group_index(workgroup, n_workgroup) * n_lane + lane;
  let row = index / params.n_class;
  if (row >= params.n_row) { return; }
  write_slope(workgroup.z * params.n_row + row, index % params.n_class, workgroup.z);
}
