// groups: ceil(n_row * d / 256)
// uses: dyt
// y = gamma * tanh(alpha * x) + beta. A lane takes a value.
const n_lane = 256u;

@compute @workgroup_size(n_lane)
fn dyt_forward(@builtin(local_invocation_index) lane: u32,
               @builtin(workgroup_id) workgroup: vec3u,
               @builtin(num_workgroups) n_workgroup: vec3u) {
  let i = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (i >= params.n_row * params.d) { return; }
  let at = workgroup.z * params.n_row * params.d + i;
  let feature = workgroup.z * params.d + i % params.d;
  var value = gamma[feature] * tanh_of(alpha[workgroup.z] * x[at]) + beta[feature];
  if ((params.accumulate & 1u) != 0u) { value += y[at]; }
  y[at] = value;
}
