// groups: ceil(n_out / 64)
// scratch: n_out * ceil(n_row / 512)
// binds: dbias scratch
// The sums of all 512 rows make the gradient, one column a lane.
const n_row_chunk = 512u;
const n_lane = 64u;

@compute @workgroup_size(n_lane)
fn linear_backward_bias(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.n_out) { return; }
  let n_chunk = (params.n_row + n_row_chunk - 1u) / n_row_chunk;
  var total = 0.0;
  for (var start = 0u; start < n_chunk; start += n_block) {
    var sum = 0.0;
    for (var chunk = start; chunk < min(n_chunk, start + n_block); chunk += 1u) {
      sum += scratch[(workgroup.z * n_chunk + chunk) * params.n_out + column];
    }
    total += sum;
  }
  let at = workgroup.z * params.n_out + column;
  dbias[at] = select(total, total + dbias[at], (params.accumulate & 1u) != 0u);
}
