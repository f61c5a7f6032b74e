// groups: ceil((n_row + d) / 64)
// variants: small tiled
// binds: x scratch
// scratch: n_row * 4 + d
// then: observe_moments.total
// uses: alone row_moments column_moments observe_moments_lines
const n_lane = 64u;

// ---- column_moments.part ----
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

// ---- column_pieces.part ----
// Columns in at most 64 pieces of some 32-row blocks, and where a piece lies in a model's scratch.
fn n_piece_row() -> u32 { return 32u * ((params.n_row + 2047u) / 2048u); }
fn n_piece() -> u32 { return (params.n_row + n_piece_row() - 1u) / n_piece_row(); }
fn n_scratch() -> u32 { return 4u * params.n_row + params.d + 2u * n_piece() * params.d; }
fn piece_at(piece: u32, column: u32) -> u32 { return 4u * params.n_row + params.d + 2u * (piece * params.d + column); }

// ---- observe_moments_lines.part ----
// scratch: four moments of every row, then the variance of every column. A lane takes a row or a column. Needs row_moments,
// column_moments and alone.
@compute @workgroup_size(n_lane)
fn observe_moments(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let index = group_index(workgroup, n_workgroup) * n_lane + lane;
  let model = workgroup.z;
  let begin = model * (4u * params.n_row + params.d);
  if (index < params.n_row) {
    keep_row(row_moments(0u, (model * params.n_row + index) * params.d), begin + 4u * index);
  } else if (index < params.n_row + params.d) {
    let column = index - params.n_row;
    let moments = column_moments(model, column, 0u, params.n_row);
    scratch[begin + 4u * params.n_row + column] = moments.y / f32(params.n_row);
  }
}

// ---- observe_moments_total.part ----
// The moments of the rows and the variances of the columns as one row of statistics: the last pass. Needs ring_row, alone or
// together; scratch_per_model() of the file that uses this.

// Σ { |x|, variance } over the rows
fn sums_over_rows(member: u32, begin: u32) -> vec2f {
  var total = vec2f(0.0);
  for (var start = member; start < params.n_row; start += n_team * n_block) {
    var block = vec2f(0.0);
    for (var i = start; i < min(params.n_row, start + n_team * n_block); i += n_team) {
      block += vec2f(scratch[begin + 4u * i], scratch[begin + 4u * i + 1u]);
    }
    total += block;
  }
  return team_sum(member, total);
}

fn sum_over_columns(member: u32, begin: u32) -> f32 {
  var total = 0.0;
  for (var start = member; start < params.d; start += n_team * n_block) {
    var block = 0.0;
    for (var i = start; i < min(params.d, start + n_team * n_block); i += n_team) { block += scratch[begin + i]; }
    total += block;
  }
  return team_sum(member, vec2f(total, 0.0)).x;
}

// { max |x| in magnitude_order, the first row that has it }
fn largest_of_rows(member: u32, begin: u32) -> vec2u {
  var largest = 0u;
  var row = member;
  for (var i = member; i < params.n_row; i += n_team) {
    let order = bitcast<u32>(scratch[begin + 4u * i + 2u]);
    if (order > largest) { row = i; }
    largest = max(largest, order);
  }
  let of_all = team_max(member, largest);
  return vec2u(of_all, ~team_max(member, select(0u, ~row, largest == of_all)));
}

@compute @workgroup_size(n_lane)
fn observe_moments(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let begin = workgroup.z * scratch_per_model();
  let sums = sums_over_rows(lane, begin);
  let columns = sum_over_columns(lane, begin + 4u * params.n_row);
  let largest = largest_of_rows(lane, begin);
  if (lane != 0u || group_index(workgroup, n_workgroup) != 0u) { return; }

  let most = bitcast<f32>(largest.x); // NaN where there is one
  let broken = largest.x >= infinity_bits;
  let mean = select(sums.x / (f32(params.n_row) * f32(params.d)), most, broken);
  let entry = select(sums.y / f32(params.n_row), not_a_number(largest.x), broken);
  let data = select(columns / f32(params.d), not_a_number(largest.x), broken);
  let at = ring_row(workgroup.z) + params.slot;
  ring[at] = mean;
  ring[at + 1u] = entry;
  ring[at + 2u] = data;
  ring[at + 3u] = most;
  ring[at + 7u] = scratch[begin + 4u * largest.y + 3u];
  if (params.slot_is_start != 0u) {
    ring[at + 4u] = mean;
    ring[at + 5u] = select(sqrt(max(entry, 0.0)), entry, broken);
    ring[at + 6u] = select(sqrt(max(data, 0.0)), data, broken);
  }
}

// ---- row_moments.part ----
// Of a row of x: { Σ|x|, variance over its features, max |x|, channel of the first such }. Needs alone or together.

// Inf above the numbers, one NaN above Inf: every NaN counts as the same value.
fn magnitude_order(v: f32) -> u32 {
  let bits = magnitude_bits(v);
  return select(bits, 0x7fc00000u, bits > infinity_bits);
}

// Σ { |x|, x - centre }
fn row_sums(member: u32, first: u32, centre: f32) -> vec2f {
  var total = vec2f(0.0);
  for (var start = member; start < params.d; start += n_team * n_block) {
    var block = vec2f(0.0);
    for (var i = start; i < min(params.d, start + n_team * n_block); i += n_team) {
      block += vec2f(abs(x[first + i]), x[first + i] - centre);
    }
    total += block;
  }
  return team_sum(member, total);
}

// Variance around the mean, with the square of what rounding left in the mean taken out.
fn row_variance(member: u32, first: u32, mean: f32) -> f32 {
  var total = vec2f(0.0);
  for (var start = member; start < params.d; start += n_team * n_block) {
    var block = vec2f(0.0);
    for (var i = start; i < min(params.d, start + n_team * n_block); i += n_team) {
      let c = x[first + i] - mean;
      block += vec2f(c, c * c);
    }
    total += block;
  }
  let mean_of = team_sum(member, total) / f32(params.d);
  return mean_of.y - mean_of.x * mean_of.x;
}

// { max |x| in magnitude_order, its first channel }
fn row_largest(member: u32, first: u32) -> vec2u {
  var largest = 0u;
  var channel = member;
  for (var i = member; i < params.d; i += n_team) {
    let order = magnitude_order(x[first + i]);
    if (order > largest) { channel = i; }
    largest = max(largest, order);
  }
  let of_all = team_max(member, largest);
  return vec2u(of_all, ~team_max(member, select(0u, ~channel, largest == of_all)));
}

fn row_moments(member: u32, first: u32) -> vec4f {
  let sums = row_sums(member, first, x[first]);
  let variance = row_variance(member, first, x[first] + sums.y / f32(params.d));
  let largest = row_largest(member, first);
  return vec4f(sums.x, variance, bitcast<f32>(largest.x), f32(largest.y));
}

fn keep_row(moments: vec4f, at: u32) {
  for (var i = 0u; i < 4u; i += 1u) { scratch[at + i] = moments[i]; }
}

// ---- observe_moments.columns ----
// groups: ceil(d / 64)
// binds: scratch
// then: observe_moments.total_team
// uses: column_pieces
// The variance of every column from the means and squares of its pieces (Chan, Golub & LeVeque 1979). A lane takes a column.
const n_lane = 64u;

fn rows_of(piece: u32) -> f32 {
  return f32(min(params.n_row - piece * n_piece_row(), n_piece_row()));
}

@compute @workgroup_size(n_lane)
fn observe_moments(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.d) { return; }
  let begin = workgroup.z * n_scratch();
  let origin = scratch[begin + piece_at(0u, column)];
  var sum = 0.0;
  for (var i = 0u; i < n_piece(); i += 1u) { sum += rows_of(i) * (scratch[begin + piece_at(i, column)] - origin); }
  let mean = origin + sum / f32(params.n_row);
  var square = 0.0;
  for (var i = 0u; i < n_piece(); i += 1u) {
    let at = begin + piece_at(i, column);
    let offset = scratch[at] - mean;
    square += scratch[at + 1u] + rows_of(i) * offset * offset;
  }
  scratch[begin + 4u * params.n_row + column] = square / f32(params.n_row);
}

// ---- observe_moments.small ----
// groups: ceil((n_row + d) / 64)
// variant: !software && n_row <= 128 && d <= 64; n_lane 64
// binds: x scratch
// scratch: n_row * 4 + d
// then: observe_moments.total_small
// uses: alone row_moments column_moments observe_moments_lines

// ---- observe_moments.tiled ----
// groups: n_row + ceil(d / 64) * ceil(n_row / (32 * ceil(n_row / 2048)))
// variant: !software
// binds: x scratch
// scratch: n_row * 4 + d + d * 2 * ceil(n_row / (32 * ceil(n_row / 2048)))
// then: observe_moments.columns
// uses: together row_moments column_moments column_pieces
// scratch: four moments of every row, room for the variance of every column, then { mean, Σ (x - mean)² } of every piece of
// a column. The first workgroups take a row each, the others a piece of 64 columns.
const n_lane = 64u;

@compute @workgroup_size(n_lane)
fn observe_moments(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let model = workgroup.z;
  let begin = model * n_scratch();
  if (group < params.n_row) {
    let moments = row_moments(lane, (model * params.n_row + group) * params.d);
    if (lane == 0u) { keep_row(moments, begin + 4u * group); }
    return;
  }
  let n_tile = (params.d + n_lane - 1u) / n_lane;
  let piece = (group - params.n_row) / n_tile;
  let column = (group - params.n_row) % n_tile * n_lane + lane;
  if (piece >= n_piece() || column >= params.d) { return; }
  let moments = column_moments(model, column, piece * n_piece_row(), min(params.n_row, (piece + 1u) * n_piece_row()));
  let at = begin + piece_at(piece, column);
  scratch[at] = moments.x;
  scratch[at + 1u] = moments.y;
}

// ---- observe_moments.total ----
// groups: 1
// binds: control ring scratch
// uses: alone ring_row observe_moments_total
const n_lane = 1u;
fn scratch_per_model() -> u32 { return 4u * params.n_row + params.d; }

// ---- observe_moments.total_small ----
// groups: 1
// binds: control ring scratch
// uses: together ring_row observe_moments_total
fn scratch_per_model() -> u32 { return 4u * params.n_row + params.d; }

// ---- observe_moments.total_team ----
// groups: 1
// binds: control ring scratch
// uses: together ring_row column_pieces observe_moments_total
const n_lane = 256u;
fn scratch_per_model() -> u32 { return n_scratch(); }
