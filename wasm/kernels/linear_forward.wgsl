// variants: software large
// tile: rows 16, cols 16
// uses: linear_forward_factors linear_forward_scalars matmul_terms matmul_slices
// y = x Wᵀ + b for small or odd matrices.
@compute @workgroup_size(n_lane)
fn linear_forward(@builtin(local_invocation_index) lane: u32,
                  @builtin(workgroup_id) workgroup: vec3u,
                  @builtin(num_workgroups) n_workgroup: vec3u) {
  model = workgroup.z;
  let n_across = (params.n_out + 15u) / 16u;
  let tile = group_index(workgroup, n_workgroup);
  multiply_slices(lane, tile / n_across * 16u, tile % n_across * 16u, 0u, params.n_in);
}

// ---- linear_forward.software ----
// groups: ceil(ceil(n_row / 8) * ceil(n_out / 8) / 16)
// variant: software
// uses: linear_forward_factors linear_forward_scalars matmul_terms matmul_block
// linear_forward without workgroup memory: a lane takes 8 x 8 results.
const n_lane = 16u;

@compute @workgroup_size(n_lane)
fn linear_forward(@builtin(local_invocation_index) lane: u32,
                  @builtin(workgroup_id) workgroup: vec3u,
                  @builtin(num_workgroups) n_workgroup: vec3u) {
  model = workgroup.z;
  let n_across = (params.n_out + 7u) / 8u;
  let block = group_index(workgroup, n_workgroup) * n_lane + lane;
  let row = block / n_across * 8u;
  let column = block % n_across * 8u;
  if (row >= params.n_row) { return; }
  write_block(row, column, multiply_block(row, column, 0u, params.n_in));
}

// ---- linear_forward.large ----
// tile: rows 64, cols 64
// variant: n_in % 4 == 0 && rows * cols * models >= 196608
// vec4: x weight
// uses: linear_forward_factors matmul_terms matmul_tile
// linear_forward for matrices of at least 48 tiles of 64 x 64.
const left_along_terms = true;
const right_along_terms = true;

fn x_four(at: u32) -> vec4f {
  return x[at / 4u];
}
fn weight_four(at: u32) -> vec4f {
  return weight[at / 4u];
}

@compute @workgroup_size(n_lane)
fn linear_forward(@builtin(local_invocation_index) lane: u32,
                  @builtin(workgroup_id) workgroup: vec3u,
                  @builtin(num_workgroups) n_workgroup: vec3u) {
  model = workgroup.z;
  let n_across = (params.n_out + n_tile - 1u) / n_tile;
  let tile = group_index(workgroup, n_workgroup);
  let row0 = tile / n_across * n_tile;
  let column0 = tile % n_across * n_tile;
  write_tile(lane, row0, column0, multiply_tile(lane, row0, column0, 0u, params.n_in));
}

// ---- linear_forward_factors.part ----
// y = x Wᵀ + b, [n_row, n_out]: rows of x by rows of the weight, n_in terms. What is read beyond a row is not used.
var<private> model: u32;

fn left(row: u32, term: u32) -> mat4x4f {
  let at = (model * params.n_row + row) * params.n_in + term;
  return transpose(mat4x4f(x_four(at), x_four(at + params.n_in),
                           x_four(at + 2u * params.n_in), x_four(at + 3u * params.n_in)));
}
fn right(column: u32, term: u32) -> mat4x4f {
  let at = (model * params.n_out + column) * params.n_in + term;
  return transpose(mat4x4f(weight_four(at), weight_four(at + params.n_in), weight_four(at + 2u * params.n_in),
                           weight_four(at + 3u * params.n_in)));
}

// Four neighbours of a row of y: what lies beyond the matrix is dropped.
fn write(row: u32, column: u32, sums: vec4f) {
  if (row >= params.n_row) { return; }
  for (var j = 0u; j < 4u && column + j < params.n_out; j += 1u) {
    let at = (model * params.n_row + row) * params.n_out + column + j;
    var value = sums[j];
    if (params.has_bias != 0u) { value += bias[model * params.n_out + column + j]; }
    if ((params.accumulate & 1u) != 0u) { value += y[at]; }
    y[at] = value;
  }
}

// ---- linear_forward_scalars.part ----
fn x_four(at: u32) -> vec4f {
  return vec4f(x[at], x[at + 1u], x[at + 2u], x[at + 3u]);
}
fn weight_four(at: u32) -> vec4f {
  return vec4f(weight[at], weight[at + 1u], weight[at + 2u], weight[at + 3u]);
}
