// groups: 1
// variants: team
// uses: alone ring_row observe_bound
const n_lane = 1u;

// ---- observe_bound.part ----
// What the theory allows the next residual point: bound <- (keep · bound + step · gain · grow) · grow, for mean |x|, std and
// data-wise std, with the gains that gamma and beta of the norm in between permit. Needs ring_row, alone or together.

// Σ { γ², |β| } over the channels.
fn gain_sums(member: u32, model: u32) -> vec2f {
  var total = vec2f(0.0);
  for (var start = member; start < params.d; start += n_team * n_block) {
    var block = vec2f(0.0);
    for (var i = start; i < min(params.d, start + n_team * n_block); i += n_team) {
      let scale = gamma[model + i];
      block += vec2f(scale * scale, abs(beta[model + i]));
    }
    total += block;
  }
  return team_sum(member, total);
}

// Σ { β - centre, (β - centre)² }
fn shift_sums(member: u32, model: u32, centre: f32) -> vec2f {
  var total = vec2f(0.0);
  for (var start = member; start < params.d; start += n_team * n_block) {
    var block = vec2f(0.0);
    for (var i = start; i < min(params.d, start + n_team * n_block); i += n_team) {
      let shift = beta[model + i] - centre;
      block += vec2f(shift, shift * shift);
    }
    total += block;
  }
  return team_sum(member, total);
}

fn largest_gain(member: u32, model: u32) -> f32 {
  var largest = 0u;
  for (var i = member; i < params.d; i += n_team) { largest = max(largest, magnitude_bits(gamma[model + i])); }
  return bitcast<f32>(team_max(member, largest));
}

// keep 0 starts anew, also where there was no bound.
fn next_bound(bound: f32, gain: f32) -> f32 {
  let grow = 1.0 + params.roundoff; // once for the rounded branch, once for the rounded sum
  return (select(params.keep * bound, 0.0, params.keep == 0.0) + params.step * gain * grow) * grow;
}

@compute @workgroup_size(n_lane)
fn observe_bound(@builtin(local_invocation_index) lane: u32,
                 @builtin(workgroup_id) workgroup: vec3u,
                 @builtin(num_workgroups) n_workgroup: vec3u) {
  let before = ring_row(workgroup.z) + params.slot_previous;
  let after = ring_row(workgroup.z) + params.slot;
  let writes = lane == 0u && group_index(workgroup, n_workgroup) == 0u;
  if (params.has_gain == 0u) {
    if (writes) { for (var i = 4u; i < 7u; i += 1u) { ring[after + i] = not_a_number(0u); } }
    return;
  }
  let model = workgroup.z * params.d;
  let d = f32(params.d);
  let sums = gain_sums(lane, model);
  let mean_beta = shift_sums(lane, model, 0.0).x / d;
  let beta_square = shift_sums(lane, model, mean_beta).y;
  let largest = largest_gain(lane, model);
  if (!writes) { return; }
  ring[after + 4u] = next_bound(ring[before + 4u], sqrt(sums.x / d) + sums.y / d);
  ring[after + 5u] = next_bound(ring[before + 5u], largest + sqrt(beta_square / d));
  ring[after + 6u] = next_bound(ring[before + 6u], largest);
}

// ---- observe_bound.team ----
// groups: 1
// variant: !software && d > 8; n_lane 64
// uses: together ring_row observe_bound
