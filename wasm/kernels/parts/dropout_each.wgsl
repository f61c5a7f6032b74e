// Dropout value by value, for sizes that four does not divide: a lane takes four values, which share their random words.
// Needs dropout; value_at and write_value of the file that uses this.
fn drop_values(lane: u32, workgroup: vec3u, n_workgroup: vec3u) {
  let block = group_index(workgroup, n_workgroup) * n_lane + lane;
  let end = min(params.n, 4u * block + 4u);
  let model = workgroup.z * params.n;
  var values = vec4f(0.0);
  for (var i = 4u * block; i < end; i += 1u) { values[i % 4u] = value_at(model + i); }
  values = dropout(values, block, workgroup.z);
  for (var i = 4u * block; i < end; i += 1u) { write_value(model + i, values[i % 4u]); }
}
