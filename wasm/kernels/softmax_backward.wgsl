// variants: narrow
// tile: rows 1, cols all
// dz = p (dp - sum of p dp), a row a workgroup.
const n_lane = 64u;

fn weighted_sum(at: u32, lane: u32) -> f32 {
  var total = 0.0;
  for (var start = lane; start < params.n_col; start += n_lane * n_block) {
    let stop = min(params.n_col, start + n_lane * n_block);
    var block = 0.0;
    for (var i = start; i < stop; i += n_lane) { block += p[at + i] * dp[at + i]; }
    total += block;
  }
  return sum_lanes(lane, vec2f(total, 0.0), n_lane, 1u).x;
}

@compute @workgroup_size(n_lane)
fn softmax_backward(@builtin(local_invocation_index) lane: u32,
                    @builtin(workgroup_id) workgroup: vec3u,
                    @builtin(num_workgroups) n_workgroup: vec3u) {
  let row = group_index(workgroup, n_workgroup);
  let at = (workgroup.z * params.n_row + min(row, params.n_row - 1u)) * params.n_col;
  let weighted = weighted_sum(at, lane);
  if (row >= params.n_row) { return; }
  for (var i = at + lane; i < at + params.n_col; i += n_lane) {
    let slope = p[i] * (dp[i] - weighted);
    dz[i] = select(slope, slope + dz[i], (params.accumulate & 1u) != 0u);
  }
}

// ---- softmax_backward.narrow ----
// tile: rows 64, cols all
// variant: software || cols <= 32
// softmax_backward for narrow rows: a lane takes a whole row.
const n_lane = 64u;

fn weighted_sum(at: u32) -> f32 {
  var total = 0.0;
  for (var start = 0u; start < params.n_col; start += n_block) {
    var block = 0.0;
    for (var i = start; i < min(params.n_col, start + n_block); i += 1u) { block += p[at + i] * dp[at + i]; }
    total += block;
  }
  return total;
}

@compute @workgroup_size(n_lane)
fn softmax_backward(@builtin(local_invocation_index) lane: u32,
                    @builtin(workgroup_id) workgroup: vec3u,
                    @builtin(num_workgroups) n_workgroup: vec3u) {
  let row = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (row >= params.n_row) { return; }
  let at = (workgroup.z * params.n_row + row) * params.n_col;
  let weighted = weighted_sum(at);
  for (var i = at; i < at + params.n_col; i += 1u) {
    let slope = p[i] * (dp[i] - weighted);
    dz[i] = select(slope, slope + dz[i], (params.accumulate & 1u) != 0u);
  }
}
