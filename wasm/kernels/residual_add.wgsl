// groups: ceil(n / 512)
// variants: vec4
// uses: scalar values residual_add

// ---- residual_add.part ----
// y = alpha skip + dt branch, value by value.
@compute @workgroup_size(n_lane)
fn residual_add(@builtin(local_invocation_index) lane: u32,
                @builtin(workgroup_id) workgroup: vec3u,
                @builtin(num_workgroups) n_workgroup: vec3u) {
  let n = params.n / width;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_each + lane;
  let end = min(n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = workgroup.z * n + i;
    var sum = params.dt * branch[at] + params.alpha * skip[at];
    if ((params.accumulate & 1u) != 0u) { sum += y[at]; }
    y[at] = sum;
  }
}

// ---- residual_add.vec4 ----
// groups: ceil(n / 2048)
// variant: n % 4 == 0
// vec4: skip branch y
// uses: vec4 values residual_add
