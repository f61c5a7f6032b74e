// SGD for one tensor; skipped where the gradients of the step are not finite. Needs sgd_rule.
@compute @workgroup_size(n_lane)
fn sgd(@builtin(local_invocation_index) lane: u32,
       @builtin(workgroup_id) workgroup: vec3u,
       @builtin(num_workgroups) n_workgroup: vec3u) {
  let state = 8u * workgroup.z; // of control and hyper
  if (control[state + 3u] == 0.0) { return; }
  let rates = vec2f(hyper[state], hyper[state + 1u]);
  let clip = control[state + 2u];

  let n = params.n / width;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_each + lane;
  let end = min(n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = workgroup.z * n + i;
    let weight = updated(rates, clip, params.decay != 0u, params.momentum, g[at], Weight(p[at], v[at]));
    p[at] = weight.p;
    v[at] = weight.v;
  }
}
