// The pair of a piece of g. Needs square_pair; n_piece and keep_pair of the file that uses this.
fn gradient(i: u32) -> Real { return g[i]; }

@compute @workgroup_size(n_lane)
fn grad_square_sum(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let n = params.n / width;
  let piece = group_index(workgroup, n_workgroup) * (n_lane / n_team) + lane / n_team;
  let first = min(piece * n_piece, n);
  let model = workgroup.z * n;
  let pair = square_pair(lane % n_team, model + first, model + min(first + n_piece, n));
  if (lane % n_team != 0u || first >= n) { return; }
  keep_pair(pair, piece, workgroup.z, n_workgroup.z);
}
