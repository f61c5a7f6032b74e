// groups: 1
// variants: team
// uses: alone scaled_square gradient_norm ring_row observe_group_norm
const n_lane = 1u;

// ---- observe_group_norm.part ----
// The gradient norm of a group of parameters, into the step's row. Needs gradient_norm, ring_row.
@compute @workgroup_size(n_lane)
fn observe_group_norm(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  let model = workgroup.z * (arrayLength(&partial) / n_workgroup.z);
  let norm = gradient_norm(lane, model + 2u * params.first_slot, params.n_slot);
  if (lane != 0u || group_index(workgroup, n_workgroup) != 0u) { return; }
  ring[ring_row(workgroup.z) + params.slot] = norm_value(norm);
}

// ---- observe_group_norm.team ----
// groups: 1
// variant: !software && n_slot > 4; n_lane 64
// uses: together scaled_square gradient_norm ring_row observe_group_norm
