// AdamW with decoupled decay (Loshchilov & Hutter 2019): p <- p (1 - lr wd) - lr m_hat / (sqrt(v_hat) + eps).
const most = 0x1.fffffep+127f;

// What is the same for all values of a tensor.
struct Rule {
  clip: f32,
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
    control.x, select(1.0, 1.0 - hyper.x * hyper.y, decays), first, second, hyper.x / control.y, inverseSqrt(control.z),
    select(0x1p-126f, eps, eps > 0.0), // 0 / 0 is no step
    sqrt(most) / sqrt(second) * 0.999999);
}

struct Weight {
  p: Real,
  m: Real,
  v: Real,
}
fn updated(rule: Rule, g: Real, old: Weight) -> Weight {
  let gradient = g * rule.clip;
  let bounded = clamp(gradient, Real(-rule.largest), Real(rule.largest));
  let m = (old.m - old.m * rule.first) + gradient * rule.first;
  let v = (old.v - old.v * rule.second) + bounded * rule.second * bounded;
  return Weight(old.p * rule.shrink - m * rule.rate / (sqrt(v) * rule.root_bias + rule.eps), m, v);
}
