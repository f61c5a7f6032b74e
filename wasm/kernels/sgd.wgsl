// groups: ceil(n / 512)
// variants: vec4
// uses: scalar values sgd_rule sgd

// ---- sgd.part ----
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

// ---- sgd_rule.part ----
// SGD with momentum (Polyak 1964) and decoupled decay: v <- momentum v + g, p <- p (1 - lr wd) - lr v.
const half_most = 0x1.fffffep+126f;

struct Weight {
  p: Real,
  v: Real,
}
// hyper: { lr, weight_decay }. v stays within the largest number: its half is limited, because a shader may assume that
// nothing overflows.
fn updated(hyper: vec2f, clip: f32, decays: bool, momentum: f32, g: Real, old: Weight) -> Weight {
  let half = old.v * (0.5 * momentum) + g * clip * 0.5;
  let v = 2.0 * clamp(half, Real(-half_most), Real(half_most));
  return Weight(old.p * select(1.0, 1.0 - hyper.x * hyper.y, decays) - v * hyper.x, v);
}

// ---- sgd.batch ----
// batch: ceil(n / 2048)
// uses: scalar sgd_rule
// SGD for many tensors at once; skipped where the gradients of the step are not finite.
// A lane takes several values, because it first has to find its tensor.
const n_lane = 128u;
const n_each = 16u;

@compute @workgroup_size(n_lane)
fn sgd(@builtin(local_invocation_index) lane: u32,
       @builtin(workgroup_id) workgroup: vec3u,
       @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let item = items[item_of(group)];
  let control = item.control_at + 8u * workgroup.z;
  let hyper = item.hyper_at + 8u * workgroup.z;
  if (arena[control + 3u] == 0.0) { return; }
  let rates = vec2f(arena[hyper], arena[hyper + 1u]);
  let clip = arena[control + 2u];

  let model = workgroup.z * item.n;
  let first = (group - item.first_group) * n_lane * n_each + lane;
  let end = min(item.n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = model + i;
    let old = Weight(arena[item.p_at + at], arena[item.v_at + at]);
    let weight = updated(rates, clip, item.decay != 0u, item.momentum, arena[item.g_at + at], old);
    arena[item.p_at + at] = weight.p;
    arena[item.v_at + at] = weight.v;
  }
}

// ---- sgd.vec4 ----
// groups: ceil(n / 2048)
// variant: n % 4 == 0
// vec4: g p v
// uses: vec4 values sgd_rule sgd
