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
