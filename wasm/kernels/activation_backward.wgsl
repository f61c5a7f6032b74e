// groups: ceil(n / 512)
// variants: vec4
// uses: scalar exp tanh activation activation_slope values activation_backward

// ---- activation_backward.part ----
// dx (+)= dy f'(x), value by value.
@compute @workgroup_size(n_lane)
fn activation_backward(@builtin(local_invocation_index) lane: u32,
                       @builtin(workgroup_id) workgroup: vec3u,
                       @builtin(num_workgroups) n_workgroup: vec3u) {
  let n = params.n / width;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_each + lane;
  let end = min(n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = workgroup.z * n + i;
    var result = dy[at] * activation_slope(x[at]);
    if ((params.accumulate & 1u) != 0u) { result += dx[at]; }
    dx[at] = result;
  }
}

// ---- activation_slope.part ----
// The derivatives of the activations. Needs activation.
const inverse_root_2_pi = 0.3989422804014327;

// Far out s is exactly 0 or 2 and the second term vanishes.
fn gelu_tanh_slope(x: Real) -> Real {
  let limited = within_12(x);
  let s = one_plus_tanh(x, limited);
  let slope = root_2_over_pi * (1.0 + limited * limited * (3.0 * cubic));
  return s * 0.5 + limited * 0.5 * s * (2.0 - s) * slope;
}

fn gelu_erf_slope(x: Real) -> Real {
  let limited = clamp(x, Real(-40.0), Real(40.0)); // there e^(-x²/2) is 0
  return one_plus_erf(x * inverse_root_2) * 0.5 + limited * inverse_root_2_pi * exp_of(limited * limited * -0.5);
}

fn activation_slope(x: Real) -> Real {
  switch params.kind {
    case relu: { return through_nan(x, select(Real(0.0), Real(1.0), x > Real(0.0))); }
    case gelu_tanh: { return gelu_tanh_slope(x); }
    case gelu_erf: { return gelu_erf_slope(x); }
    default: {
      let y = tanh_of(x);
      return 1.0 - y * y;
    }
  }
}

// ---- activation_backward.vec4 ----
// groups: ceil(n / 2048)
// variant: n % 4 == 0
// vec4: x dy dx
// uses: vec4 exp tanh activation activation_slope values activation_backward
