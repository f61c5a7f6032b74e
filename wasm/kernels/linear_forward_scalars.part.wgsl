fn x_four(at: u32) -> vec4f {
  return vec4f(x[at], x[at + 1u], x[at + 2u], x[at + 3u]);
}
fn weight_four(at: u32) -> vec4f {
  return vec4f(weight[at], weight[at + 1u], weight[at + 2u], weight[at + 3u]);
}
