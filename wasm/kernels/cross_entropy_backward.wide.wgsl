// groups: n_row * ceil(n_class / 1024)
// variant: n_class > 256
// vec4: rows loss
// uses: scalar exp cross_entropy_slope
// A workgroup takes 1,024 logits of a row.
const n_lane = 256u;
const n_tile = 1024u;

@compute @workgroup_size(n_lane)
fn cross_entropy_backward(@builtin(local_invocation_index) lane: u32,
                          @builtin(workgroup_id) workgroup: vec3u,
                          @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let n_tile_row = (params.n_class + n_tile - 1u) / n_tile;
  let row = group / n_tile_row;
  if (row >= params.n_row) { return; }
  let first = group % n_tile_row * n_tile;
  for (var i = first + lane; i < min(params.n_class, first + n_tile); i += n_lane) {
    write_slope(workgroup.z * params.n_row + row, i, workgroup.z);
  }
}
