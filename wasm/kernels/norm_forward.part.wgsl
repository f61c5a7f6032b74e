// Forward over lines of any length: every pass reads the values again.

// Largest magnitude of the line, as bits.
fn line_largest(lane: u32, start: u32) -> u32 {
  var bits = 0u;
  for (var i = first_of(lane); i < n_value(); i += n_share) {
    bits = max(bits, magnitude_bits(value_at(start + i * stride())));
  }
  return max_line(lane, bits);
}

// Sums of v and v^2 over the line, where v = x * inv_scale - centre.
fn line_sums(lane: u32, start: u32, inv_scale: f32, centre: f32) -> vec2f {
  var total = vec2f(0.0);
  for (var begin = first_of(lane); begin < n_value(); begin += n_share * n_block) {
    let end = min(n_value(), begin + n_share * n_block);
    var block = vec2f(0.0);
    for (var i = begin; i < end; i += n_share) {
      let v = value_at(start + i * stride()) * inv_scale - centre;
      block += vec2f(v, v * v);
    }
    total += block;
  }
  return sum_line(lane, total);
}

// The mean is taken from the first value on: a constant line is centred to exact zeros.
fn line_stats(lane: u32, start: u32) -> LineStats {
  let largest = line_largest(lane, start);
  let inv_scale = line_scale(largest >> 23u, params.eps);
  let n = f32(n_value());
  var mean = 0.0;
  if (has_mean) {
    let first = value_at(start) * inv_scale;
    mean = first + line_sums(lane, start, inv_scale, first).x / n;
  }
  return finish_stats(mean, line_sums(lane, start, inv_scale, mean) / n, inv_scale, largest >= infinity_bits);
}

fn normalize_line(lane: u32, group: u32, model: u32) {
  let line = line_of(lane, group);
  if (n_share == 1u && line >= n_line()) { return; }
  let held = min(line, n_line() - 1u);
  let start = start_of(model, held);
  let s = line_stats(lane, start);

  if (line >= n_line()) { return; }
  let feature = feature_of(model, line);
  for (var i = first_of(lane); i < n_value(); i += n_share) {
    let at = start + i * stride();
    let v = value_at(at);
    write_value(at, feature + i * feature_step, v, s);
  }
  if (n_share == 1u || lane == 0u) { stats[model * n_line() + line] = pack_stats(s); }
}
