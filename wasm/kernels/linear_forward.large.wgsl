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
