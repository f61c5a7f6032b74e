// variants: software large
// tile: rows 16, cols 16
// uses: linear_backward_x_factors linear_backward_x_scalars matmul_terms matmul_slices
// dx = dy W for small or odd matrices.
@compute @workgroup_size(n_lane)
fn linear_backward_x(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  model = workgroup.z;
  let n_across = (params.n_in + 15u) / 16u;
  let tile = group_index(workgroup, n_workgroup);
  multiply_slices(lane, tile / n_across * 16u, tile % n_across * 16u, 0u, params.n_out);
}

// ---- linear_backward_x.software ----
// groups: ceil(ceil(n_row / 8) * ceil(n_in / 8) / 16)
// variant: software
// uses: linear_backward_x_factors linear_backward_x_scalars matmul_terms matmul_block
// linear_backward_x without workgroup memory: a lane takes 8 x 8 results.
const n_lane = 16u;

@compute @workgroup_size(n_lane)
fn linear_backward_x(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  model = workgroup.z;
  let n_across = (params.n_in + 7u) / 8u;
  let block = group_index(workgroup, n_workgroup) * n_lane + lane;
  let row = block / n_across * 8u;
  let column = block % n_across * 8u;
  if (row >= params.n_row) { return; }
  write_block(row, column, multiply_block(row, column, 0u, params.n_out));
}

// ---- linear_backward_x.large ----
// tile: rows 64, cols 64
// variant: n_in % 4 == 0 && rows * cols * models >= 196608
// vec4: weight dx
// uses: linear_backward_x_factors matmul_terms matmul_tile
// linear_backward_x for matrices of at least 48 tiles of 64 x 64.
const left_along_terms = true;
const right_along_terms = false;

fn weight_four(at: u32) -> vec4f {
  return weight[at / 4u];
}
fn write(row: u32, column: u32, sums: vec4f) {
  if (row >= params.n_row || column >= params.n_in) { return; }
  let at = ((model * params.n_row + row) * params.n_in + column) / 4u;
  dx[at] = select(sums, sums + dx[at], (params.accumulate & 1u) != 0u);
}

@compute @workgroup_size(n_lane)
fn linear_backward_x(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  model = workgroup.z;
  let n_across = (params.n_in + n_tile - 1u) / n_tile;
  let tile = group_index(workgroup, n_workgroup);
  let row0 = tile / n_across * n_tile;
  let column0 = tile % n_across * n_tile;
  write_tile(lane, row0, column0, multiply_tile(lane, row0, column0, 0u, params.n_out));
}

// ---- linear_backward_x_factors.part ----
// dx = dy W, [n_row, n_in]: rows of dy by columns of the weight, n_out terms. What is read beyond a row is not used.
var<private> model: u32;

fn left(row: u32, term: u32) -> mat4x4f {
  let at = (model * params.n_row + row) * params.n_out + term;
  return transpose(mat4x4f(dy_four(at), dy_four(at + params.n_out), dy_four(at + 2u * params.n_out),
                           dy_four(at + 3u * params.n_out)));
}
fn dy_four(at: u32) -> vec4f {
  return vec4f(dy[at], dy[at + 1u], dy[at + 2u], dy[at + 3u]);
}
fn right(column: u32, term: u32) -> mat4x4f {
  let at = (model * params.n_out + term) * params.n_in + column;
  return mat4x4f(weight_four(at), weight_four(at + params.n_in), weight_four(at + 2u * params.n_in),
                 weight_four(at + 3u * params.n_in));
}

// ---- linear_backward_x_scalars.part ----
fn weight_four(at: u32) -> vec4f {
  return vec4f(weight[at], weight[at + 1u], weight[at + 2u], weight[at + 3u]);
}

// Four neighbours of a row of dx: what lies beyond the matrix is dropped.
fn write(row: u32, column: u32, sums: vec4f) {
  if (row >= params.n_row) { return; }
  for (var j = 0u; j < 4u && column + j < params.n_in; j += 1u) {
    let at = (model * params.n_row + row) * params.n_in + column + j;
    dx[at] = select(sums[j], sums[j] + dx[at], (params.accumulate & 1u) != 0u);
  }
}
