// groups: ceil(n_row * d / 512)
// variants: vec4
// uses: scalar exp tanh values dyt_forward

// ---- dyt_forward.part ----
// y = gamma tanh(alpha x) + beta, value by value.
@compute @workgroup_size(n_lane)
fn dyt_forward(@builtin(local_invocation_index) lane: u32,
               @builtin(workgroup_id) workgroup: vec3u,
               @builtin(num_workgroups) n_workgroup: vec3u) {
  let across = params.d / width;
  let n = params.n_row * across;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_each + lane;
  let end = min(n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = workgroup.z * n + i;
    let feature = workgroup.z * across + i % across;
    var value = gamma[feature] * tanh_of(x[at] * alpha[workgroup.z]) + beta[feature];
    if ((params.accumulate & 1u) != 0u) { value += y[at]; }
    y[at] = value;
  }
}

// ---- dyt_forward.vec4 ----
// groups: ceil(n_row * d / 2048)
// variant: d % 4 == 0
// vec4: x gamma beta y
// uses: vec4 exp tanh values dyt_forward
