// groups: ceil(n_row * d / 512)
// variants: vec4
// uses: scalar values channel_scale
fn scale_of(channel: u32, model: u32) -> Real {
  return s[model + select(channel, 0u, params.n_scale == 1u)];
}

// ---- channel_scale.vec4 ----
// groups: ceil(n_row * d / 2048)
// variant: d % 4 == 0
// vec4: x y
// uses: vec4 values channel_scale
fn scale_of(channel: u32, model: u32) -> Real {
  if (params.n_scale == 1u) { return Real(s[model]); }
  let at = model + channel;
  return Real(s[at], s[at + 1u], s[at + 2u], s[at + 3u]);
}

// ---- channel_scale.part ----
// y (+)= s x over the values of [n_row, d]; s has one value, or one for each of the d channels.
@compute @workgroup_size(n_lane)
fn channel_scale(@builtin(local_invocation_index) lane: u32,
                 @builtin(workgroup_id) workgroup: vec3u,
                 @builtin(num_workgroups) n_workgroup: vec3u) {
  let n = params.n_row * params.d / width;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_each + lane;
  let end = min(n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = workgroup.z * n + i;
    var scaled = x[at] * scale_of(i * width % params.d, workgroup.z * params.n_scale);
    if ((params.accumulate & 1u) != 0u) { scaled += y[at]; }
    y[at] = scaled;
  }
}
