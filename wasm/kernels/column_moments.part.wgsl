// Of rows first … end - 1 of a column: { mean, Σ (x - mean)² }. The mean is taken from the first value on.
fn column_moments(model: u32, column: u32, first: u32, end: u32) -> vec2f {
  let origin = x[(model * params.n_row + first) * params.d + column];
  let mean = origin + column_sums(model, column, first, end, origin).x / f32(end - first);
  let centred = column_sums(model, column, first, end, mean);
  let delta = centred.x / f32(end - first);
  return vec2f(mean + delta, centred.y - delta * centred.x);
}

// Σ { x - centre, (x - centre)² }
fn column_sums(model: u32, column: u32, first: u32, end: u32, centre: f32) -> vec2f {
  var total = vec2f(0.0);
  for (var start = first; start < end; start += n_block) {
    var block = vec2f(0.0);
    for (var row = start; row < min(end, start + n_block); row += 1u) {
      let c = x[(model * params.n_row + row) * params.d + column] - centre;
      block += vec2f(c, c * c);
    }
    total += block;
  }
  return total;
}
