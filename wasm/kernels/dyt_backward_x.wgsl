// groups: ceil(n_row * d / 512)
// variants: vec4
// uses: scalar exp tanh_slope values dyt_backward_x

// ---- dyt_backward_x.part ----
// dx = gamma dy alpha (1 - tanh(alpha x)^2), value by value.
@compute @workgroup_size(n_lane)
fn dyt_backward_x(@builtin(local_invocation_index) lane: u32,
                  @builtin(workgroup_id) workgroup: vec3u,
                  @builtin(num_workgroups) n_workgroup: vec3u) {
  let across = params.d / width;
  let n = params.n_row * across;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_each + lane;
  let end = min(n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = workgroup.z * n + i;
    let feature = workgroup.z * across + i % across;
    let gain = alpha[workgroup.z];
    var value = gamma[feature] * dy[at] * (tanh_slope(x[at] * gain) * gain);
    if ((params.accumulate & 1u) != 0u) { value += dx[at]; }
    dx[at] = value;
  }
}

// ---- dyt_backward_x.vec4 ----
// groups: ceil(n_row * d / 2048)
// variant: d % 4 == 0
// vec4: x gamma dy dx
// uses: vec4 exp tanh_slope values dyt_backward_x
