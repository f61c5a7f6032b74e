// The pairs of all pieces as one pair: the second pass. Needs scaled_square, slot_pair; n_value_piece: values of a piece.
var<private> pieces: u32; // where the model's pairs begin
fn pair(i: u32) -> vec2f {
  let at = 2u * (pieces + i);
  return vec2f(scratch[at], scratch[at + 1u]);
}

@compute @workgroup_size(n_lane)
fn grad_square_sum(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let n = (params.n + n_value_piece - 1u) / n_value_piece;
  pieces = workgroup.z * n;
  let total = combine_pairs(lane, n);
  if (lane != 0u || group_index(workgroup, n_workgroup) != 0u) { return; }
  keep_pair(select(vec2f(1.0, not_a_number(0u)), total, is_finite(total.y)), 0u, workgroup.z, n_workgroup.z);
}
