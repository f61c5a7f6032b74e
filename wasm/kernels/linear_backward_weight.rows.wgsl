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
