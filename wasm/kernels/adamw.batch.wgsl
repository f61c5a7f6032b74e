// batch: ceil(n / 2048)
// uses: scalar adamw_rule
// AdamW for many tensors at once; skipped where the gradients of the step are not finite.
// A lane takes several values, because it first has to find its tensor.
const n_lane = 128u;
const n_each = 16u;

@compute @workgroup_size(n_lane)
fn adamw(@builtin(local_invocation_index) lane: u32,
         @builtin(workgroup_id) workgroup: vec3u,
         @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let item = items[item_of(group)];
  let control = item.control_at + 8u * workgroup.z;
  let hyper = item.hyper_at + 8u * workgroup.z;
  if (arena[control + 3u] == 0.0) { return; }
  let rule = rule_of(
    vec2f(arena[hyper], arena[hyper + 1u]), vec3f(arena[control + 2u], arena[control + 4u], arena[control + 5u]),
    item.decay != 0u, item.one_minus_beta1, item.one_minus_beta2, item.eps);

  let model = workgroup.z * item.n;
  let first = (group - item.first_group) * n_lane * n_each + lane;
  let end = min(item.n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = model + i;
    let old = Weight(arena[item.p_at + at], arena[item.m_at + at], arena[item.v_at + at]);
    let weight = updated(rule, arena[item.g_at + at], old);
    arena[item.p_at + at] = weight.p;
    arena[item.m_at + at] = weight.m;
    arena[item.v_at + at] = weight.v;
  }
}
