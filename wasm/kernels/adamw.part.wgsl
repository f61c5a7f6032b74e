// AdamW for one tensor; skipped where the gradients of the step are not finite. Needs adamw_rule.
@compute @workgroup_size(n_lane)
fn adamw(@builtin(local_invocation_index) lane: u32,
         @builtin(workgroup_id) workgroup: vec3u,
         @builtin(num_workgroups) n_workgroup: vec3u) {
  let state = 8u * workgroup.z; // of control and hyper
  if (control[state + 3u] == 0.0) { return; }
  let rule = rule_of(
    vec2f(hyper[state], hyper[state + 1u]), vec3f(control[state + 2u], control[state + 4u], control[state + 5u]),
    params.decay != 0u, params.one_minus_beta1, params.one_minus_beta2, params.eps);

  let n = params.n / width;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_each + lane;
  let end = min(n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = workgroup.z * n + i;
    let weight = updated(rule, g[at], Weight(p[at], m[at], v[at]));
    p[at] = weight.p;
    m[at] = weight.m;
    v[at] = weight.v;
  }
}
