// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// variants: few_vec4 few
// vec4: stats
// scratch: ceil(n_row / max(32, ceil(n_row / 128))) * 2 * d
// then: layernorm_backward_params.total
// binds: x dy stats scratch
// uses: scalar norm norm_rows norm_params column_sums column_tiles column_partials
// dgamma = sum over rows of dy x_hat, dbeta = sum over rows of dy. First over tiles of rows.
const n_term = 2u;
alias Terms = vec2f;

@compute @workgroup_size(n_lane)
fn layernorm_backward_params(@builtin(local_invocation_index) lane: u32,
                             @builtin(workgroup_id) workgroup: vec3u,
                             @builtin(num_workgroups) n_workgroup: vec3u) {
  store_partials(lane, group_index(workgroup, n_workgroup), workgroup.z);
}

// ---- layernorm_backward_params.few_vec4 ----
// groups: ceil(d / 64)
// variant: software && d % 4 == 0; n_lane 16
// vec4: x dy stats dgamma dbeta
// uses: vec4 norm norm_rows norm_params column_sums affine_sums layernorm_backward_params_few
alias Terms = mat2x4f;

// ---- layernorm_backward_params.few ----
// groups: ceil(d / 64)
// variant: software || n_row <= 64; n_lane 64
// vec4: stats
// uses: scalar norm norm_rows norm_params column_sums affine_sums layernorm_backward_params_few
alias Terms = vec2f;

// ---- layernorm_backward_params.total ----
// groups: ceil(d / 64)
// binds: scratch dgamma dbeta
// uses: scalar column_sums column_tiles column_totals affine_sums
// The gradients of a column from its tiles.
const n_term = 2u;
alias Terms = vec2f;

@compute @workgroup_size(n_lane)
fn layernorm_backward_params(@builtin(local_invocation_index) lane: u32,
                             @builtin(workgroup_id) workgroup: vec3u,
                             @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column < params.d) { write_sums(workgroup.z, column, total_of(workgroup.z, column)); }
}

// ---- layernorm_backward_params_few.part ----
// dgamma = sum over rows of dy x_hat, dbeta = sum over rows of dy. A lane sums a whole column.
@compute @workgroup_size(n_lane)
fn layernorm_backward_params(@builtin(local_invocation_index) lane: u32,
                             @builtin(workgroup_id) workgroup: vec3u,
                             @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.d / width) { return; }
  write_sums(workgroup.z, column, sum_column(workgroup.z, 0u, params.n_row, column));
}
