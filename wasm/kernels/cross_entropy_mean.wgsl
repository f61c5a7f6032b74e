// groups: 1
// variants: team
// vec4: rows loss
// uses: alone cross_entropy_mean
const n_lane = 1u;

// ---- cross_entropy_mean.part ----
// loss = { mean over the counted rows, their number, sum, 0 }; 0 where no row counts. Needs alone or together.
@compute @workgroup_size(n_lane)
fn cross_entropy_mean(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  let member = lane % n_team;
  let first = workgroup.z * params.n_row;
  var share = vec2f(0.0); // loss, rows
  for (var start = member; start < params.n_row; start += n_team * n_block) {
    var block = vec2f(0.0);
    for (var i = start; i < min(params.n_row, start + n_team * n_block); i += n_team) { block += rows[first + i].zw; }
    share += block;
  }
  let total = team_sum(member, share);
  if (lane != 0u || group_index(workgroup, n_workgroup) != 0u) { return; }
  let sum = select(not_a_number(0u), total.x, is_finite(total.x));
  loss[workgroup.z] = vec4f(select(0.0, sum / max(total.y, 1.0), total.y > 0.0), total.y, sum, 0.0);
}

// ---- cross_entropy_mean.team ----
// groups: 1
// variant: !software && n_row > 1024; n_lane 256
// variant: !software && n_row > 8; n_lane 64
// vec4: rows loss
// uses: together cross_entropy_mean
