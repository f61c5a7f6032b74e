// groups: ceil(n_row * d / 512)
// variants: vec4
// uses: scalar values channel_scale
fn scale_of(channel: u32, model: u32) -> Real {
  return s[model + select(channel, 0u, params.n_scale == 1u)];
}
