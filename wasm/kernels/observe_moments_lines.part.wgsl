// scratch: four moments of every row, then the variance of every column. A lane takes a row or a column. Needs row_moments,
// column_moments and alone.
@compute @workgroup_size(n_lane)
fn observe_moments(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let index = group_index(workgroup, n_workgroup) * n_lane + lane;
  let model = workgroup.z;
  let begin = model * (4u * params.n_row + params.d);
  if (index < params.n_row) {
    keep_row(row_moments(0u, (model * params.n_row + index) * params.d), begin + 4u * index);
  } else if (index < params.n_row + params.d) {
    let column = index - params.n_row;
    let moments = column_moments(model, column, 0u, params.n_row);
    scratch[begin + 4u * params.n_row + column] = moments.y / f32(params.n_row);
  }
}
