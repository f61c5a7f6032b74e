// variants: narrow
// tile: rows 1, cols all
// uses: order softmax_row
// p = e^(z - max) / sum of e^(z - max), a row a workgroup.
const n_lane = 64u;

fn largest_key(at: u32, lane: u32) -> u32 {
  var key = 0u;
  for (var i = lane; i < params.n_col; i += n_lane) { key = max(key, order_key(z[at + i])); }
  return max_lanes(lane, key, n_lane);
}

fn sum_of_exp(at: u32, lane: u32, largest: f32) -> f32 {
  var total = 0.0;
  for (var start = lane; start < params.n_col; start += n_lane * n_block) {
    let stop = min(params.n_col, start + n_lane * n_block);
    var block = 0.0;
    for (var i = start; i < stop; i += n_lane) { block += exp_below(z[at + i], largest); }
    total += block;
  }
  return sum_lanes(lane, vec2f(total, 0.0), n_lane, 1u).x;
}

@compute @workgroup_size(n_lane)
fn softmax_forward(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let row = group_index(workgroup, n_workgroup);
  let at = (workgroup.z * params.n_row + min(row, params.n_row - 1u)) * params.n_col;
  let key = largest_key(at, lane);
  let largest = key_value(key);
  let inverse = 1.0 / sum_of_exp(at, lane, largest);
  if (row >= params.n_row) { return; }
  for (var i = at + lane; i < at + params.n_col; i += n_lane) {
    let share = select(not_a_number(0u), exp_below(z[i], largest) * inverse, has_softmax(key));
    p[i] = select(share, share + p[i], (params.accumulate & 1u) != 0u);
  }
}

// ---- softmax_forward.narrow ----
// tile: rows 64, cols all
// variant: software || cols <= 32
// uses: order softmax_row
// softmax_forward for narrow rows: a lane takes a whole row, so no lane waits for another.
const n_lane = 64u;

fn largest_key(at: u32) -> u32 {
  var key = 0u;
  for (var i = 0u; i < params.n_col; i += 1u) { key = max(key, order_key(z[at + i])); }
  return key;
}

fn sum_of_exp(at: u32, largest: f32) -> f32 {
  var total = 0.0;
  for (var start = 0u; start < params.n_col; start += n_block) {
    var block = 0.0;
    for (var i = start; i < min(params.n_col, start + n_block); i += 1u) { block += exp_below(z[at + i], largest); }
    total += block;
  }
  return total;
}

@compute @workgroup_size(n_lane)
fn softmax_forward(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let row = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (row >= params.n_row) { return; }
  let at = (workgroup.z * params.n_row + row) * params.n_col;
  let key = largest_key(at);
  let largest = key_value(key);
  let inverse = 1.0 / sum_of_exp(at, largest);
  for (var i = at; i < at + params.n_col; i += 1u) {
    let share = select(not_a_number(0u), exp_below(z[i], largest) * inverse, has_softmax(key));
    p[i] = select(share, share + p[i], (params.accumulate & 1u) != 0u);
  }
}
