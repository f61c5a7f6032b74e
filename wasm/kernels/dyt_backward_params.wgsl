// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// variants: few
// scratch: ceil(n_row / max(32, ceil(n_row / 128))) * 3 * d
// then: dyt_backward_params.total
// binds: x alpha dy scratch
// uses: scalar exp tanh tanh_slope dyt_params column_sums column_tiles column_partials
// dgamma = sum over rows of dy tanh(alpha x), dbeta = sum over rows of dy, dalpha = sum over all of gamma dy x (1 -
// tanh(alpha x)^2). First over tiles of rows.
const n_term = 3u;
alias Terms = vec3f;

@compute @workgroup_size(n_lane)
fn dyt_backward_params(@builtin(local_invocation_index) lane: u32,
                       @builtin(workgroup_id) workgroup: vec3u,
                       @builtin(num_workgroups) n_workgroup: vec3u) {
  store_partials(lane, group_index(workgroup, n_workgroup), workgroup.z);
}

// ---- dyt_backward_params.total ----
// groups: ceil(d / 64)
// then: dyt_backward_params.alpha
// binds: gamma dgamma dbeta scratch
// uses: scalar column_sums column_tiles column_totals dyt_sums
// The gradients of a column from its tiles.
const n_term = 3u;
alias Terms = vec3f;

@compute @workgroup_size(n_lane)
fn dyt_backward_params(@builtin(local_invocation_index) lane: u32,
                       @builtin(workgroup_id) workgroup: vec3u,
                       @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column < params.d) { write_sums(workgroup.z, column, total_of(workgroup.z, column)); }
}

// ---- dyt_backward_params.few ----
// groups: ceil(d / 64)
// variant: software || n_row <= 64
// scratch: ceil(n_row / max(32, ceil(n_row / 128))) * 3 * d
// then: dyt_backward_params.alpha
// binds: x alpha gamma dy dgamma dbeta scratch
// uses: scalar exp tanh tanh_slope dyt_params column_sums column_tiles dyt_sums
// dgamma = sum over rows of dy tanh(alpha x), dbeta = sum over rows of dy, dalpha = sum over all of gamma dy x (1 -
// tanh(alpha x)^2). A lane sums a whole column.
const n_term = 3u;
alias Terms = vec3f;

@compute @workgroup_size(n_lane)
fn dyt_backward_params(@builtin(local_invocation_index) lane: u32,
                       @builtin(workgroup_id) workgroup: vec3u,
                       @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.d / width) { return; }
  write_sums(workgroup.z, column, sum_column(workgroup.z, 0u, params.n_row, column));
}

// ---- dyt_backward_params.alpha ----
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
