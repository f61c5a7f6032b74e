// tile: rows all, cols 16
// variant: software
// linear_backward_bias without workgroup memory: a lane takes four columns.
const n_lane = 4u;

@compute @workgroup_size(n_lane)
fn linear_backward_bias(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = (group_index(workgroup, n_workgroup) * n_lane + lane) * 4u;
  var total = vec4f();
  for (var start = 0u; start < params.n_row; start += n_block) {
    var sum = vec4f();
    for (var row = start; row < min(params.n_row, start + n_block); row += 1u) {
      let at = (workgroup.z * params.n_row + row) * params.n_out + column;
      sum += vec4f(dy[at], dy[at + 1u], dy[at + 2u], dy[at + 3u]); // what lies beyond the row is not written
    }
    total += sum;
  }
  for (var j = 0u; j < 4u && column + j < params.n_out; j += 1u) {
    let at = workgroup.z * params.n_out + column + j;
    dbias[at] = select(total[j], total[j] + dbias[at], (params.accumulate & 1u) != 0u);
  }
}
