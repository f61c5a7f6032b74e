// Forward over lines of any length: every pass reads the values again.

// Sums over the line of v = x * scale - centre, and of v^2; for a first look of |x * scale| instead.
fn line_sums(member: u32, start: u32, scale: f32, centre: f32, is_first: bool) -> vec2f {
  let n = n_item();
  var sum = Real();
  var other = Real();
  for (var begin = member; begin < n; begin += n_team * n_block) {
    let end = min(n, begin + n_team * n_block);
    var block = Real();
    var block_other = Real();
    for (var i = begin; i < end; i += n_team) {
      let scaled = value_at(start + i * stride()) * scale;
      let v = scaled - centre;
      block += v;
      block_other += select(v * v, abs(scaled), is_first);
    }
    sum += block;
    other += block_other;
  }
  return team_sum(member, vec2f(sum_of(sum), sum_of(other)));
}

fn line_stats(member: u32, start: u32) -> LineStats {
  let first = first_of(value_at(start));
  let look = first_look(first, line_sums(member, start, guard, first * guard, true));
  return finish_stats(look, line_sums(member, start, look.inv_scale, look.mean, false));
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
