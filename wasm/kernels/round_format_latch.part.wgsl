// The first overflow of the pieces, in the order of the values, and how many there were: into the latch. Needs alone or
// together, and n_piece, the values of a piece.
@compute @workgroup_size(n_lane)
fn round_format(@builtin(local_invocation_index) lane: u32,
                @builtin(workgroup_id) workgroup: vec3u,
                @builtin(num_workgroups) n_workgroup: vec3u) {
  let member = lane % n_team;
  let n_note = (params.n + n_piece - 1u) / n_piece;
  let notes = workgroup.z * n_note;
  var share = 0.0;
  var first = 0xffffffffu; // piece
  for (var i = member; i < n_note; i += n_team) {
    let n_overflow = scratch[(notes + i) * 4u];
    if (n_overflow > 0.0) { first = min(first, i); }
    share += n_overflow;
  }
  let total = team_sum(member, vec2f(share, 0.0)).x;
  first = ~team_max(member, ~first);
  if (lane != 0u || first == 0xffffffffu || group_index(workgroup, n_workgroup) != 0u) { return; }
  let at = workgroup.z * 8u;
  if (latch[at] == 0.0) {
    let note = (notes + first) * 4u;
    let index = first * n_piece + u32(scratch[note + 1u]);
    latch[at + 1u] = control[workgroup.z * 8u];
    latch[at + 2u] = f32(params.point);
    latch[at + 3u] = f32(index % params.d);
    latch[at + 4u] = scratch[note + 2u];
  }
  latch[at] = min(latch[at] + total, 16777216.0); // there a float no longer counts by ones
}
