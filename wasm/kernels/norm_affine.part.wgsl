fn scale_and_shift(x_hat: f32, feature: u32) -> f32 {
  return x_hat * gamma[feature] + beta[feature];
}
