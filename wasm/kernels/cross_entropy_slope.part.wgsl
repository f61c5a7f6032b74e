// dlogits (+)= (p - onehot(target)) / n_counted; z-loss adds its slope 2 z_loss log Z times p. Needs scalar and exp.
fn write_slope(row: u32, class_index: u32, model: u32) {
  let at = row * params.n_class + class_index;
  let slope = logit_slope(logits[at], rows[row], targets[row] == f32(class_index), loss[model].y);
  dlogits[at] = slope + select(0.0, dlogits[at], (params.accumulate & 1u) != 0u);
}

// stats: the row's { max, log_sum, loss, counted }.
fn logit_slope(z: f32, stats: vec4f, is_target: bool, n_counted: f32) -> f32 {
  if (stats.w == 0.0) { return 0.0; }
  if (!is_finite(stats.x) || !is_finite(stats.y)) { return not_a_number(0u); }
  let p = exp_of((z - stats.x) - stats.y) * (1.0 + 2.0 * params.z_loss * (stats.x + stats.y));
  return (p - select(0.0, 1.0, is_target)) / n_counted;
}
