// groups: ceil(n / 256)
// variants: vec4
// uses: scalar philox dropout dropout_each dropout_forward

// ---- dropout_forward.part ----
// y (+)= dropout(x). Needs scalar or vec4.
fn value_at(at: u32) -> Real { return x[at]; }
fn write_value(at: u32, value: Real) {
  var sum = value;
  if ((params.accumulate & 1u) != 0u) { sum += y[at]; }
  y[at] = sum;
}

@compute @workgroup_size(n_lane)
fn dropout_forward(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  drop_values(lane, workgroup, n_workgroup);
}

// ---- dropout_forward.vec4 ----
// groups: ceil(n / 256)
// variant: n % 4 == 0
// vec4: x y
// uses: vec4 philox dropout dropout_four dropout_forward
