// groups: ceil(n / 512)
// variants: vec4
// uses: scalar exp tanh activation values activation_forward

// ---- activation_forward.part ----
// y (+)= f(x), value by value.
@compute @workgroup_size(n_lane)
fn activation_forward(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  let n = params.n / width;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_each + lane;
  let end = min(n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = workgroup.z * n + i;
    var result = activation(x[at]);
    if ((params.accumulate & 1u) != 0u) { result += y[at]; }
    y[at] = result;
  }
}

// ---- activation_forward.vec4 ----
// groups: ceil(n / 2048)
// variant: n % 4 == 0
// vec4: x y
// uses: vec4 exp tanh activation values activation_forward
