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
