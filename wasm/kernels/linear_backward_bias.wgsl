// variants: software rows
// tile: rows all, cols 16
// uses: linear_backward_bias_sums
// db = sum over rows of dy. A workgroup takes 16 columns, 16 rows at a time.
@compute @workgroup_size(n_lane)
fn linear_backward_bias(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_column + lane % n_column;
  let share = column_sum(lane / n_column, min(column, params.n_out - 1u), workgroup.z, 0u, params.n_row);
  let sum = sum_lanes(lane, vec2f(share, 0.0), n_lane, n_column).x;
  if (lane >= n_column || column >= params.n_out) { return; }
  let at = workgroup.z * params.n_out + column;
  dbias[at] = select(sum, sum + dbias[at], (params.accumulate & 1u) != 0u);
}

// ---- linear_backward_bias.software ----
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

// ---- linear_backward_bias.rows ----
// groups: ceil(n_out / 16) * ceil(n_row / 512)
// variant: n_row >= 2048 && cols * models < 4096
// scratch: n_out * ceil(n_row / 512)
// binds: dy scratch
// then: linear_backward_bias.total
// uses: linear_backward_bias_sums
// linear_backward_bias for many rows and few columns: every 512 rows make a sum of their own.
const n_row_chunk = 512u;

@compute @workgroup_size(n_lane)
fn linear_backward_bias(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_tile = (params.n_out + n_column - 1u) / n_column;
  let n_chunk = (params.n_row + n_row_chunk - 1u) / n_row_chunk;
  let group = group_index(workgroup, n_workgroup);
  let chunk = group / n_tile;
  let column = group % n_tile * n_column + lane % n_column;
  let begin = min(params.n_row, chunk * n_row_chunk);
  let end = min(params.n_row, begin + n_row_chunk);
  let share = column_sum(lane / n_column, min(column, params.n_out - 1u), workgroup.z, begin, end);
  let sum = sum_lanes(lane, vec2f(share, 0.0), n_lane, n_column).x;
  if (lane >= n_column || column >= params.n_out || chunk >= n_chunk) { return; }
  scratch[(workgroup.z * n_chunk + chunk) * params.n_out + column] = sum; // [model][chunk][n_out]
}

// ---- linear_backward_bias.total ----
// groups: ceil(n_out / 64)
// scratch: n_out * ceil(n_row / 512)
// binds: dbias scratch
// uses: strided_sum
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
  let total = strided_sum(workgroup.z * n_chunk * params.n_out + column, n_chunk, params.n_out);
  let at = workgroup.z * params.n_out + column;
  dbias[at] = select(total, total + dbias[at], (params.accumulate & 1u) != 0u);
}

// ---- linear_backward_bias_sums.part ----
const n_lane = 256u;
const n_column = 16u;
const n_row_lane = n_lane / n_column;

// A lane's share of the sum of one column over the rows begin … end - 1.
fn column_sum(row_lane: u32, column: u32, model: u32, begin: u32, end: u32) -> f32 {
  var total = 0.0;
  for (var start = begin + row_lane; start < end; start += n_row_lane * n_block) {
    let stop = min(end, start + n_row_lane * n_block);
    var block = 0.0;
    for (var row = start; row < stop; row += n_row_lane) {
      block += dy[(model * params.n_row + row) * params.n_out + column];
    }
    total += block;
  }
  return total;
}
