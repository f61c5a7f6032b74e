// The statistics of one line of values – a row, or a column for BatchNorm – and the values normalized by them.
struct LineStats {
  mean: f32,
  delta: f32,
  rstd: f32,
  inv_scale: f32,
}
fn unpack_stats(s: vec4f) -> LineStats { return LineStats(s.x, s.y, s.z, s.w); }
fn pack_stats(s: LineStats) -> vec4f { return vec4f(s.mean, s.delta, s.rstd, s.inv_scale); }
fn x_hat(v: Real, s: LineStats) -> Real { return ((v * s.inv_scale - s.mean) - s.delta) * s.rstd; }
fn is_broken(s: LineStats) -> bool { return !is_finite(s.rstd); }
