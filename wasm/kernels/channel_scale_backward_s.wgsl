// groups: ceil(n_scale / 64)
// variants: tiled
// uses: column_product add_to_ds
// ds (+)= Σ x dy over the rows, and where s has one value over the columns too. A lane takes a scale.
const n_lane = 64u;

@compute @workgroup_size(n_lane)
fn channel_scale_backward_s(@builtin(local_invocation_index) lane: u32,
                            @builtin(workgroup_id) workgroup: vec3u,
                            @builtin(num_workgroups) n_workgroup: vec3u) {
  let scale = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (scale >= params.n_scale) { return; }
  var sum = column_product(workgroup.z, scale, 0u, params.n_row);
  if (params.n_scale == 1u) {
    for (var column = 1u; column < params.d; column += 1u) {
      sum += column_product(workgroup.z, column, 0u, params.n_row);
    }
  }
  add_to_ds(workgroup.z * params.n_scale + scale, sum);
}

// ---- channel_scale_backward_s.tiled ----
// groups: ceil(n_row / 64) * ceil(d / 64)
// variant: !software
// binds: x dy scratch
// scratch: ceil(n_row / 64) * d
// then: channel_scale_backward_s.total
// uses: column_product
// scratch[piece][column] = Σ x dy over 64 rows of a column, for a second pass. A lane takes a column.
const n_lane = 64u;
const n_piece_row = 64u;

@compute @workgroup_size(n_lane)
fn channel_scale_backward_s(@builtin(local_invocation_index) lane: u32,
                            @builtin(workgroup_id) workgroup: vec3u,
                            @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let n_tile = (params.d + n_lane - 1u) / n_lane;
  let n_piece = (params.n_row + n_piece_row - 1u) / n_piece_row;
  let piece = group / n_tile;
  let column = group % n_tile * n_lane + lane;
  if (piece >= n_piece || column >= params.d) { return; }
  let first = piece * n_piece_row;
  let sum = column_product(workgroup.z, column, first, min(params.n_row, first + n_piece_row));
  scratch[(workgroup.z * n_piece + piece) * params.d + column] = sum;
}

// ---- channel_scale_backward_s.total ----
// groups: ceil(n_scale / 64)
// binds: ds scratch
// uses: add_to_ds
// ds (+)= the sums of the pieces: a lane sums one column, or the lanes together all columns where s has one value.
const n_lane = 64u;

// Σ scratch[first + k stride] over n terms.
fn strided_sum(first: u32, n: u32, stride: u32) -> f32 {
  var total = 0.0;
  for (var start = 0u; start < n; start += n_block) {
    var block = 0.0;
    for (var k = start; k < min(n, start + n_block); k += 1u) { block += scratch[first + k * stride]; }
    total += block;
  }
  return total;
}

@compute @workgroup_size(n_lane)
fn channel_scale_backward_s(@builtin(local_invocation_index) lane: u32,
                            @builtin(workgroup_id) workgroup: vec3u,
                            @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_piece = (params.n_row + 63u) / 64u;
  let pieces = workgroup.z * n_piece * params.d;
  if (params.n_scale == 1u) {
    let n = n_piece * params.d;
    let share = strided_sum(pieces + lane, (n + n_lane - 1u - lane) / n_lane, n_lane);
    let sum = sum_lanes(lane, vec2f(share, 0.0), n_lane, 1u).x;
    if (lane == 0u && group_index(workgroup, n_workgroup) == 0u) { add_to_ds(workgroup.z, sum); }
    return;
  }
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.d) { return; }
  add_to_ds(workgroup.z * params.d + column, strided_sum(pieces + column, n_piece, params.d));
}

// ---- add_to_ds.part ----
fn add_to_ds(at: u32, sum: f32) {
  ds[at] = select(sum, ds[at] + sum, (params.accumulate & 1u) != 0u);
}

// ---- column_product.part ----
// Σ x dy down a column of [n_row, d], rows first … end - 1.
fn column_product(model: u32, column: u32, first: u32, end: u32) -> f32 {
  var total = 0.0;
  for (var start = first; start < end; start += n_block) {
    var block = 0.0;
    for (var row = start; row < min(end, start + n_block); row += 1u) {
      let at = (model * params.n_row + row) * params.d + column;
      block += x[at] * dy[at];
    }
    total += block;
  }
  return total;
}
