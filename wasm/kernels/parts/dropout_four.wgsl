// Dropout of four values a lane, which share their random words. Needs dropout; value_at and write_value of the file that
// uses this.
fn drop_values(lane: u32, workgroup: vec3u, n_workgroup: vec3u) {
  let block = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (4u * block >= params.n) { return; }
  let at = workgroup.z * (params.n / 4u) + block;
  write_value(at, dropout(value_at(at), block, workgroup.z));
}
