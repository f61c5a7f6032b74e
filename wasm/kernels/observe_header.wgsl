// groups: 1
// variants: team
// uses: alone scaled_square gradient_norm ring_row observe_header
const n_lane = 1u;

// ---- observe_header.part ----
// The head of the step's row: { step, loss, grad_norm, lr, n_counted, then five values of the latch }. Needs gradient_norm,
// ring_row.
@compute @workgroup_size(n_lane)
fn observe_header(@builtin(local_invocation_index) lane: u32,
                  @builtin(workgroup_id) workgroup: vec3u,
                  @builtin(num_workgroups) n_workgroup: vec3u) {
  let norm = gradient_norm(lane, workgroup.z * 2u * params.n_slot, params.n_slot);
  if (lane != 0u || group_index(workgroup, n_workgroup) != 0u) { return; }
  let row = ring_row(workgroup.z);
  ring[row] = control[8u * workgroup.z];
  ring[row + 1u] = loss[4u * workgroup.z];
  ring[row + 2u] = norm_value(norm);
  ring[row + 3u] = hyper[8u * workgroup.z];
  ring[row + 4u] = loss[4u * workgroup.z + 1u];
  for (var i = 0u; i < 5u; i += 1u) { ring[row + 5u + i] = latch[8u * workgroup.z + i]; }
}

// ---- observe_header.team ----
// groups: 1
// variant: !software && n_slot > 4; n_lane 64
// uses: together scaled_square gradient_norm ring_row observe_header
