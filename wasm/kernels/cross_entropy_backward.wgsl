// groups: ceil(n_row * n_class / 256)
// variants: wide
// vec4: rows loss
// uses: scalar exp cross_entropy_slope
// A lane takes a logit.
const n_lane = 256u;

@compute @workgroup_size(n_lane)
fn cross_entropy_backward(@builtin(local_invocation_index) lane: u32,
                          @builtin(workgroup_id) workgroup: vec3u,
                          @builtin(num_workgroups) n_workgroup: vec3u) {
  let index = group_index(workgroup, n_workgroup) * n_lane + lane;
  let row = index / params.n_class;
  if (row >= params.n_row) { return; }
  write_slope(workgroup.z * params.n_row + row, index % params.n_class, workgroup.z);
}

// ---- cross_entropy_backward.wide ----
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

// ---- cross_entropy_slope.part ----
// dlogits (+)= (p - onehot(target)) / n_counted; z-loss adds its slope 2 z_loss log Z times p. Needs scalar and exp.
fn write_slope(row: u32, class_index: u32, model: u32) {
  let at = row * params.n_class + class_index;
  let slope = logit_slope(logits[at], rows[row], targets[row] == f32(class_index), loss[model].y);
  dlogits[at] = slope + select(0.0, dlogits[at], (params.accumulate & 1u) != 0u);
}

// stats: the row's { max, log_sum, loss, counted }.
fn logit_slope(z: f32, stats: vec4f, is_target: bool, n_counted: f32) -> f32 {
  if (stats.w == 0.0) { return 0.0; }
  if (!is_finite(stats.x) || !is_finite(stats.y)) { return not_a_number(0u); }
  let p = exp_of((z - stats.x) - stats.y) * (1.0 + 2.0 * params.z_loss * (stats.x + stats.y));
  return (p - select(0.0, 1.0, is_target)) / n_counted;
}
