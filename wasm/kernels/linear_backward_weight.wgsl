// variants: software rows large
// tile: rows 16, cols 16
// uses: linear_backward_weight_factors linear_backward_weight_scalars matmul_terms matmul_slices
// dW = dyᵀ x for small or odd matrices.
@compute @workgroup_size(n_lane)
fn linear_backward_weight(@builtin(local_invocation_index) lane: u32,
                          @builtin(workgroup_id) workgroup: vec3u,
                          @builtin(num_workgroups) n_workgroup: vec3u) {
  model = workgroup.z;
  let n_across = (params.n_in + 15u) / 16u;
  let tile = group_index(workgroup, n_workgroup);
  multiply_slices(lane, tile / n_across * 16u, tile % n_across * 16u, 0u, params.n_row);
}

// ---- linear_backward_weight.software ----
// groups: ceil(ceil(n_out / 8) * ceil(n_in / 8) / 16)
// variant: software
// uses: linear_backward_weight_factors linear_backward_weight_scalars matmul_terms matmul_block
// linear_backward_weight without workgroup memory: a lane takes 8 x 8 results.
const n_lane = 16u;

@compute @workgroup_size(n_lane)
fn linear_backward_weight(@builtin(local_invocation_index) lane: u32,
                          @builtin(workgroup_id) workgroup: vec3u,
                          @builtin(num_workgroups) n_workgroup: vec3u) {
  model = workgroup.z;
  let n_across = (params.n_in + 7u) / 8u;
  let block = group_index(workgroup, n_workgroup) * n_lane + lane;
  let row = block / n_across * 8u;
  let column = block % n_across * 8u;
  if (row >= params.n_out) { return; }
  write_block(row, column, multiply_block(row, column, 0u, params.n_row));
}

// ---- linear_backward_weight.large ----
// tile: rows 64, cols 64
// variant: n_in % 4 == 0 && rows * cols * models >= 196608
// vec4: x dweight
// uses: linear_backward_weight_factors matmul_terms matmul_tile
// linear_backward_weight for matrices of at least 48 tiles of 64 x 64.
const left_along_terms = false;
const right_along_terms = false;

fn x_four(at: u32) -> vec4f {
  return x[at / 4u];
}
fn write(row: u32, column: u32, sums: vec4f) {
  if (row >= params.n_out || column >= params.n_in) { return; }
  let at = ((model * params.n_out + row) * params.n_in + column) / 4u;
  dweight[at] = select(sums, sums + dweight[at], (params.accumulate & 1u) != 0u);
}

@compute @workgroup_size(n_lane)
fn linear_backward_weight(@builtin(local_invocation_index) lane: u32,
                          @builtin(workgroup_id) workgroup: vec3u,
                          @builtin(num_workgroups) n_workgroup: vec3u) {
  model = workgroup.z;
  let n_across = (params.n_in + n_tile - 1u) / n_tile;
  let tile = group_index(workgroup, n_workgroup);
  let row0 = tile / n_across * n_tile;
  let column0 = tile % n_across * n_tile;
  write_tile(lane, row0, column0, multiply_tile(lane, row0, column0, 0u, params.n_row));
}

// ---- linear_backward_weight.rows ----
// groups: ceil(n_out / 16) * ceil(n_in / 16) * ceil(n_row / 256)
// variant: n_row >= 512 && rows * cols * models < 65536
// scratch: n_out * n_in * ceil(n_row / 256)
// binds: x dy scratch
// then: linear_backward_weight.total
// uses: linear_backward_weight_factors matmul_terms matmul_slices
// linear_backward_weight for many rows and few weights: every 256 rows make a sum of their own.
const n_row_chunk = 256u;
var<private> chunk: u32;

fn x_four(at: u32) -> vec4f {
  return vec4f(x[at], x[at + 1u], x[at + 2u], x[at + 3u]);
}

// scratch: [model][chunk][n_out][n_in]
fn write(row: u32, column: u32, sums: vec4f) {
  let n_chunk = (params.n_row + n_row_chunk - 1u) / n_row_chunk;
  if (row >= params.n_out || chunk >= n_chunk) { return; }
  for (var j = 0u; j < 4u && column + j < params.n_in; j += 1u) {
    scratch[((model * n_chunk + chunk) * params.n_out + row) * params.n_in + column + j] = sums[j];
  }
}

@compute @workgroup_size(n_lane)
fn linear_backward_weight(@builtin(local_invocation_index) lane: u32,
                          @builtin(workgroup_id) workgroup: vec3u,
                          @builtin(num_workgroups) n_workgroup: vec3u) {
  model = workgroup.z;
  let n_across = (params.n_in + 15u) / 16u;
  let n_tile = n_across * ((params.n_out + 15u) / 16u);
  let group = group_index(workgroup, n_workgroup);
  let tile = group % n_tile;
  chunk = group / n_tile;
  let begin = min(params.n_row, chunk * n_row_chunk);
  let end = min(params.n_row, begin + n_row_chunk);
  multiply_slices(lane, tile / n_across * 16u, tile % n_across * 16u, begin, end);
}

// ---- linear_backward_weight.total ----
// groups: ceil(n_out * n_in / 64)
// scratch: n_out * n_in * ceil(n_row / 256)
// binds: dweight scratch
// uses: strided_sum
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
  let total = strided_sum(workgroup.z * n_chunk * size + i, n_chunk, size);
  let at = workgroup.z * size + i;
  dweight[at] = select(total, total + dweight[at], (params.accumulate & 1u) != 0u);
}

// ---- linear_backward_weight_factors.part ----
// dW = dyᵀ x, [n_out, n_in]: columns of dy by columns of x, n_row terms. What is read beyond a row is not used.
var<private> model: u32;

fn left(row: u32, term: u32) -> mat4x4f {
  let at = (model * params.n_row + term) * params.n_out + row;
  return mat4x4f(dy_four(at), dy_four(at + params.n_out),
                 dy_four(at + 2u * params.n_out), dy_four(at + 3u * params.n_out));
}
fn dy_four(at: u32) -> vec4f {
  return vec4f(dy[at], dy[at + 1u], dy[at + 2u], dy[at + 3u]);
}
fn right(column: u32, term: u32) -> mat4x4f {
  let at = (model * params.n_row + term) * params.n_in + column;
  return mat4x4f(x_four(at), x_four(at + params.n_in), x_four(at + 2u * params.n_in), x_four(at + 3u * params.n_in));
}

// ---- linear_backward_weight_scalars.part ----
fn x_four(at: u32) -> vec4f {
  return vec4f(x[at], x[at + 1u], x[at + 2u], x[at + 3u]);
}

// Four neighbours of a row of dW: what lies beyond the matrix is dropped.
fn write(row: u32, column: u32, sums: vec4f) {
  if (row >= params.n_out) { return; }
  for (var j = 0u; j < 4u && column + j < params.n_in; j += 1u) {
    let at = (model * params.n_out + row) * params.n_in + column + j;
    dweight[at] = select(sums[j], sums[j] + dweight[at], (params.accumulate & 1u) != 0u);
  }
}
