// groups: ceil(n / 512)
// variants: vec4
// uses: scalar values clip adamw_rule adamw

// ---- adamw.part ----
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

// ---- adamw_rule.part ----
// AdamW with decoupled decay (Loshchilov & Hutter 2019): p <- p (1 - lr wd) - lr m_hat / (sqrt(v_hat) + eps).
// Needs clip.
const most = 0x1.fffffep+127f;
// Root of a v too small for a number: gradients whose squares are lost make small steps, and 0 / 0 is no step.
const least_root = 0x1p-63f;

// What is the same for all values of a tensor.
struct Rule {
  clip: vec2f, // factors of it
  shrink: f32,
  first: f32, // 1 - beta1
  second: f32, // 1 - beta2
  rate: f32, // with the bias of m taken out
  root_bias: f32, // 1 / sqrt of the bias of v
  eps: f32,
  largest: f32, // gradient whose share of v stays a number
}

// hyper: { lr, weight_decay }, control: { clip_scale, bias1, bias2 }
fn rule_of(hyper: vec2f, control: vec3f, decays: bool, first: f32, second: f32, eps: f32) -> Rule {
  return Rule(
    clip_factors(control.x), select(1.0, 1.0 - hyper.x * hyper.y, decays), first, second, hyper.x / control.y,
    inverseSqrt(control.z), eps, sqrt(most) / sqrt(second) * 0.999999);
}

struct Weight {
  p: Real,
  m: Real,
  v: Real,
}
fn updated(rule: Rule, g: Real, old: Weight) -> Weight {
  let gradient = g * rule.clip.x * rule.clip.y;
  let bounded = clamp(gradient, Real(-rule.largest), Real(rule.largest));
  let m = (old.m - old.m * rule.first) + gradient * rule.first;
  let kept = old.v - old.v * rule.second;
  let v = kept + min(bounded * rule.second * bounded, Real(most * 0.999999) - kept); // v stays a number
  let root = max(sqrt(v), Real(least_root));
  return Weight(old.p * rule.shrink - m * rule.rate / (root * rule.root_bias + rule.eps), m, v);
}

// ---- adamw.batch ----
// batch: ceil(n / 2048)
// uses: scalar clip adamw_rule
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

// ---- adamw.vec4 ----
// groups: ceil(n / 2048)
// variant: n % 4 == 0
// vec4: g p m v
// uses: vec4 values clip adamw_rule adamw
