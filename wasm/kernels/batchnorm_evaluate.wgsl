// groups: ceil(n_row * d / 256)
// y = (x - running_mean) / sqrt(running_var + eps) * gamma + beta: BatchNorm when nothing is learnt. A lane takes a value.
const n_lane = 256u;

@compute @workgroup_size(n_lane)
fn batchnorm_evaluate(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  let i = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (i >= params.n_row * params.d) { return; }
  let at = workgroup.z * params.n_row * params.d + i;
  let feature = workgroup.z * params.d + i % params.d;
  let rstd = 1.0 / sqrt(running_var[feature] + params.eps);
  var value = gamma[feature] * ((x[at] - running_mean[feature]) * rstd) + beta[feature];
  if ((params.accumulate & 1u) != 0u) { value += y[at]; }
  y[at] = value;
}
