// tile: rows all, cols 64
// vec4: stats
// One step of BatchNorm's running statistics: r <- (1 - momentum) r + momentum b, b the batch's mean and unbiased variance.
// Nothing changes where the step's gradients were not finite. A lane takes a feature.
const n_lane = 64u;
const largest_number = 0x1.fffffep127f;

// What the batch's 1 / sqrt(variance + eps) says of its variance with divisor n - 1, in the scale of x.
fn unbiased_variance(rstd: f32, inv_scale: f32) -> f32 {
  let n = f32(params.n_row);
  let deviation = 1.0 / rstd;
  let variance = max(deviation * deviation - params.eps * inv_scale * inv_scale, 0.0);
  return min(variance / inv_scale / inv_scale / (n - 1.0) * n, largest_number);
}

@compute @workgroup_size(n_lane)
fn batchnorm_track(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  let is_finite_step = control[workgroup.z * 8u + 3u] != 0.0;
  if (column >= params.d || params.n_row == 0u || !is_finite_step) { return; }
  let feature = workgroup.z * params.d + column;
  let s = stats[feature]; // mean, delta, rstd, inv_scale
  let keep = 1.0 - params.momentum;
  running_mean[feature] = keep * running_mean[feature] + params.momentum * ((s.x + s.y) / s.w);
  if (params.n_row == 1u) { return; }
  let unbiased = unbiased_variance(s.z, s.w);
  let variance = min(keep * running_var[feature] + params.momentum * unbiased, largest_number);
  running_var[feature] = select(s.z, variance, is_finite(s.z)); // min and max may lose a NaN
}
