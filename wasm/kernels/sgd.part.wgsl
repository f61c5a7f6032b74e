// SGD with momentum (Polyak 1964) and decoupled decay: v <- momentum v + g, p <- p (1 - lr wd) - lr v. Skipped where the
// step's gradients are not finite.
const half_most = 0x1.fffffep+126f;

// 2 v, within the largest number. Halves are limited, because a shader may assume that nothing overflows.
fn doubled(half: Real) -> Real {
  return 2.0 * clamp(half, Real(-half_most), Real(half_most));
}

@compute @workgroup_size(n_lane)
fn sgd(@builtin(local_invocation_index) lane: u32,
       @builtin(workgroup_id) workgroup: vec3u,
       @builtin(num_workgroups) n_workgroup: vec3u) {
  let state = 8u * workgroup.z; // of control and hyper
  if (control[state + 3u] == 0.0) { return; }
  let lr = hyper[state];
  let shrink = select(1.0, 1.0 - lr * hyper[state + 1u], params.decay != 0u);
  let clip = control[state + 2u];

  let n = params.n / width;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_each + lane;
  let end = min(n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = workgroup.z * n + i;
    let v_new = doubled(v[at] * (0.5 * params.momentum) + g[at] * clip * 0.5);
    v[at] = v_new;
    p[at] = p[at] * shrink - v_new * lr;
  }
}
