// Forward over lines of any length: every pass reads the values again.

// Largest magnitude of the line, as bits.
fn line_largest(member: u32, start: u32) -> u32 {
  let n = n_item();
  var bits = Bits();
  for (var i = member; i < n; i += n_team) {
    bits = max(bits, bitcast<Bits>(value_at(start + i * stride())) & Bits(0x7fffffffu));
  }
  return team_max(member, largest_of(bits));
}

// Sums of v and v^2 over the line, where v = x * inv_scale - centre.
fn line_sums(member: u32, start: u32, inv_scale: f32, centre: f32) -> vec2f {
  let n = n_item();
  var sum = Real();
  var square_sum = Real();
  for (var begin = member; begin < n; begin += n_team * n_block) {
    let end = min(n, begin + n_team * n_block);
    var block = Real();
    var block_square = Real();
    for (var i = begin; i < end; i += n_team) {
      let v = value_at(start + i * stride()) * inv_scale - centre;
      block += v;
      block_square += v * v;
    }
    sum += block;
    square_sum += block_square;
  }
  return team_sum(member, vec2f(sum_of(sum), sum_of(square_sum)));
}

// The mean is taken from the first value on: a constant line is centred to exact zeros.
struct ScaledStats {
  stats: LineStats,
  square_sum: f32,
}
fn scaled_stats(member: u32, start: u32, inv_scale: f32, spoilt: bool) -> ScaledStats {
  let n = f32(n_value());
  var mean = 0.0;
  if (has_mean) {
    let first = first_of(value_at(start)) * inv_scale;
    mean = first + line_sums(member, start, inv_scale, first).x / n;
  }
  let centred = line_sums(member, start, inv_scale, mean);
  return ScaledStats(finish_stats(mean, centred / n, inv_scale, spoilt), centred.y);
}

fn normalize_line(lane: u32, group: u32, model: u32) {
  let line = line_of(lane, group);
  if (n_team == 1u && line >= n_line()) { return; }
  let member = member_of(lane);
  let start = start_of(model, min(line, n_line() - 1u));
  let s = line_stats(member, start);

  if (line >= n_line()) { return; }
  let feature = feature_of(model, line);
  let n = n_item();
  for (var i = member; i < n; i += n_team) {
    let at = start + i * stride();
    write_value(at, feature + i * feature_stride, value_at(at), s);
  }
  if (member == 0u) { stats[model * n_line() + line] = pack_stats(s); }
}
