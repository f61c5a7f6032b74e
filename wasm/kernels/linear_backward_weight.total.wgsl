// groups: ceil(n_out * n_in / 64)
// scratch: n_out * n_in * ceil(n_row / 256)
// binds: dweight scratch
// The sums of all 256 rows make the gradient, one weight a lane.
const n_row_chunk = 256u;
const n_lane = 64u;

@compute @workgroup_size(n_lane)
fn linear_backward_weight(@builtin(local_invocation_index) lane: u32,
                          @builtin(workgroup_id) workgroup: vec3u,
                          @builtin(num_workgroups) n_workgroup: vec3u) {
  let size = params.n_out * params.n_in;
  let i = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (i >= size) { return; }
  let n_chunk = (params.n_row + n_row_chunk - 1u) / n_row_chunk;
  var total = 0.0;
  for (var start = 0u; start < n_chunk; start += n_block) {
    var sum = 0.0;
    for (var chunk = start; chunk < min(n_chunk, start + n_block); chunk += 1u) {
      sum += scratch[(workgroup.z * n_chunk + chunk) * size + i];
    }
    total += sum;
  }
  let at = workgroup.z * size + i;
  dweight[at] = select(total, total + dweight[at], (params.accumulate & 1u) != 0u);
}
