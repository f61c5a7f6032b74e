// groups: 1
// binds: dalpha scratch
// uses: column_tiles
// dalpha is the sum of its columns' shares. One workgroup a model.
const n_term = 3u;

fn share_of_lane(lane: u32, model: u32) -> f32 {
  var total = 0.0;
  for (var begin = lane; begin < params.d; begin += n_lane * n_block) {
    let end = min(params.d, begin + n_lane * n_block);
    var block = 0.0;
    for (var column = begin; column < end; column += n_lane) { block += scratch[partial_at(model, 0u, 0u, column)]; }
    total += block;
  }
  return total;
}

@compute @workgroup_size(n_lane)
fn dyt_backward_params(@builtin(local_invocation_index) lane: u32,
                       @builtin(workgroup_id) workgroup: vec3u,
                       @builtin(num_workgroups) n_workgroup: vec3u) {
  let sum = sum_lanes(lane, vec2f(share_of_lane(lane, workgroup.z), 0.0), n_lane, 1u).x;
  if (lane > 0u || group_index(workgroup, n_workgroup) > 0u) { return; }
  var value = sum;
  if ((params.accumulate & 1u) != 0u) { value += dalpha[workgroup.z]; }
  dalpha[workgroup.z] = value;
}
