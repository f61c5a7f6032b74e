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
