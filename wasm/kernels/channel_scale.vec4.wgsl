// groups: ceil(n_row * d / 2048)
// variant: d % 4 == 0
// vec4: x y
// uses: vec4 values channel_scale
fn scale_of(channel: u32, model: u32) -> Real {
  if (params.n_scale == 1u) { return Real(s[model]); }
  let at = model + channel;
  return Real(s[at], s[at + 1u], s[at + 2u], s[at + 3u]);
}
