// groups: ceil(n / 256)
// variants: vec4
// uses: scalar philox dropout dropout_each dropout_backward

// ---- dropout_backward.part ----
// dx (+)= dropout(dy). Needs scalar or vec4.
fn value_at(at: u32) -> Real { return dy[at]; }
fn write_value(at: u32, value: Real) {
  var sum = value;
  if ((params.accumulate & 1u) != 0u) { sum += dx[at]; }
  dx[at] = sum;
}

@compute @workgroup_size(n_lane)
fn dropout_backward(@builtin(local_invocation_index) lane: u32,
                    @builtin(workgroup_id) workgroup: vec3u,
                    @builtin(num_workgroups) n_workgroup: vec3u) {
  drop_values(lane, workgroup, n_workgroup);
}

// ---- dropout_backward.vec4 ----
// groups: ceil(n / 256)
// variant: n % 4 == 0
// vec4: dy dx
// uses: vec4 philox dropout dropout_four dropout_backward
