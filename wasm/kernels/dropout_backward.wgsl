// groups: ceil(n / 256)
// variants: vec4
// uses: philox dropout
// dx (+)= dropout(dy). A lane takes four values, which share their random words.
@compute @workgroup_size(n_lane)
fn dropout_backward(@builtin(local_invocation_index) lane: u32,
                    @builtin(workgroup_id) workgroup: vec3u,
                    @builtin(num_workgroups) n_workgroup: vec3u) {
  let block = group_index(workgroup, n_workgroup) * n_lane + lane;
  let end = min(params.n, 4u * block + 4u);
  let model = workgroup.z * params.n;
  var values = vec4f(0.0);
  for (var i = 4u * block; i < end; i += 1u) { values[i % 4u] = dy[model + i]; }
  values = dropout(values, block, workgroup.z);
  for (var i = 4u * block; i < end; i += 1u) {
    dx[model + i] = values[i % 4u] + select(0.0, dx[model + i], (params.accumulate & 1u) != 0u);
  }
}

// ---- dropout_backward.vec4 ----
// groups: ceil(n / 256)
// variant: n % 4 == 0
// vec4: dy dx
// uses: philox dropout
// dx (+)= dropout(dy). A lane takes four values, which share their random words.
@compute @workgroup_size(n_lane)
fn dropout_backward(@builtin(local_invocation_index) lane: u32,
                    @builtin(workgroup_id) workgroup: vec3u,
                    @builtin(num_workgroups) n_workgroup: vec3u) {
  let block = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (4u * block >= params.n) { return; }
  let at = workgroup.z * (params.n / 4u) + block;
  var values = dropout(dy[at], block, workgroup.z);
  if ((params.accumulate & 1u) != 0u) { values += dx[at]; }
  dx[at] = values;
}
