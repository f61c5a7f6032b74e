// groups: ceil(n / 256)
// variant: n % 4 == 0
// vec4: x y
// uses: philox dropout
// y (+)= dropout(x). A lane takes four values, which share their random words.
@compute @workgroup_size(n_lane)
fn dropout_forward(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let block = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (4u * block >= params.n) { return; }
  let at = workgroup.z * (params.n / 4u) + block;
  var values = dropout(x[at], block, workgroup.z);
  if ((params.accumulate & 1u) != 0u) { values += y[at]; }
  y[at] = values;
}
