// groups: ceil(n / 512)
// variants: vec4
// uses: scalar values scale_add

// ---- scale_add.part ----
// y (+)= scale x, value by value.
@compute @workgroup_size(n_lane)
fn scale_add(@builtin(local_invocation_index) lane: u32,
             @builtin(workgroup_id) workgroup: vec3u,
             @builtin(num_workgroups) n_workgroup: vec3u) {
  let n = params.n / width;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_each + lane;
  let end = min(n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = workgroup.z * n + i;
    var scaled = params.scale * x[at];
    if ((params.accumulate & 1u) != 0u) { scaled += y[at]; }
    y[at] = scaled;
  }
}

// ---- scale_add.vec4 ----
// groups: ceil(n / 2048)
// variant: n % 4 == 0
// vec4: x y
// uses: vec4 values scale_add
