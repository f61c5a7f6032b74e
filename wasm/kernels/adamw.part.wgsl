// AdamW with decoupled decay (Loshchilov & Hutter 2019): p <- p (1 - lr wd) - lr m_hat / (sqrt(v_hat) + eps). Skipped
// where the step's gradients are not finite.
const most = 0x1.fffffep+127f;

@compute @workgroup_size(n_lane)
fn adamw(@builtin(local_invocation_index) lane: u32,
         @builtin(workgroup_id) workgroup: vec3u,
         @builtin(num_workgroups) n_workgroup: vec3u) {
  let state = 8u * workgroup.z; // of control and hyper
  if (control[state + 3u] == 0.0) { return; }
  let lr = hyper[state];
  let shrink = select(1.0, 1.0 - lr * hyper[state + 1u], params.decay != 0u);
  let clip = control[state + 2u];
  let step_size = lr / control[state + 4u];
  let root_bias = inverseSqrt(control[state + 5u]);
  let eps = select(0x1p-126f, params.eps, params.eps > 0.0); // 0 / 0 is no step
  let largest = sqrt(most) / sqrt(params.one_minus_beta2) * 0.999999; // its share of v stays a number

  let n = params.n / width;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_each + lane;
  let end = min(n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = workgroup.z * n + i;
    let gradient = g[at] * clip;
    let bounded = clamp(gradient, Real(-largest), Real(largest));
    let m_new = (m[at] - m[at] * params.one_minus_beta1) + gradient * params.one_minus_beta1;
    let v_new = (v[at] - v[at] * params.one_minus_beta2) + bounded * params.one_minus_beta2 * bounded;
    m[at] = m_new;
    v[at] = v_new;
    p[at] = p[at] * shrink - m_new * step_size / (sqrt(v_new) * root_bias + eps);
  }
}
