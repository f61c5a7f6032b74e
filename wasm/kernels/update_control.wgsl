// groups: 1
// variants: team
// uses: scalar exp alone scaled_square gradient_norm update_control
const n_lane = 1u;

// ---- update_control.part ----
// control: { step, grad_norm, clip_scale, finite, bias1, bias2, n_skipped, 0 }. A norm that is not finite leaves everything
// else of the step untouched. Needs scalar, exp, gradient_norm.

// 1 - e^x for x <= 0, without cancellation near 0.
fn one_minus_exp(x: f32) -> f32 {
  if (x < -0.5) { return 1.0 - exp_of(x); }
  var p = 2.492243643e-5 * x + 0.0001996217623;
  p = p * x + 0.001388873772;
  p = p * x + 0.008333182072;
  p = p * x + 0.04166666714;
  p = p * x + 0.1666666714;
  p = p * x + 0.5;
  return -(x + x * x * p);
}

// 1 - beta^step; beta may be 0.
fn bias(step: f32, log_beta: f32) -> f32 {
  if (!is_finite(log_beta)) { return 1.0; }
  return one_minus_exp(step * log_beta);
}

@compute @workgroup_size(n_lane)
fn update_control(@builtin(local_invocation_index) lane: u32,
                  @builtin(workgroup_id) workgroup: vec3u,
                  @builtin(num_workgroups) n_workgroup: vec3u) {
  let norm = gradient_norm(lane, workgroup.z * 2u * params.n_slot, params.n_slot);
  if (lane != 0u || group_index(workgroup, n_workgroup) != 0u) { return; }
  let at = workgroup.z * 8u;
  let limit = hyper[at + 2u];
  let value = norm_value(norm);
  let finite = is_finite(norm.root);
  let clips = finite && limit > 0.0 && (!is_finite(value) || value > limit);
  control[at + 1u] = value;
  control[at + 2u] = select(1.0, limit / norm.scale / norm.root, clips);
  control[at + 3u] = select(0.0, 1.0, finite);
  if (!finite) {
    control[at + 6u] += 1.0;
    return;
  }
  let step = control[at] + 1.0;
  control[at] = step;
  control[at + 4u] = bias(step, params.log_beta1);
  control[at + 5u] = bias(step, params.log_beta2);
}

// ---- update_control.team ----
// groups: 1
// variant: !software && n_slot > 4; n_lane 64
// uses: scalar exp together scaled_square gradient_norm update_control
