// groups: ceil(n_row * d / 512)
// variants: vec4
// uses: scalar values batchnorm_evaluate

// ---- batchnorm_evaluate.part ----
// y = (x - running_mean) / sqrt(running_var + eps) gamma + beta, value by value: BatchNorm when nothing is learnt.
@compute @workgroup_size(n_lane)
fn batchnorm_evaluate(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  let across = params.d / width;
  let n = params.n_row * across;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_each + lane;
  let end = min(n, first + n_lane * n_each);
  for (var i = first; i < end; i += n_lane) {
    let at = workgroup.z * n + i;
    let feature = workgroup.z * across + i % across;
    let rstd = 1.0 / sqrt(running_var[feature] + params.eps);
    var value = gamma[feature] * ((x[at] - running_mean[feature]) * rstd) + beta[feature];
    if ((params.accumulate & 1u) != 0u) { value += y[at]; }
    y[at] = value;
  }
}

// ---- batchnorm_evaluate.vec4 ----
// groups: ceil(n_row * d / 2048)
// variant: d % 4 == 0
// vec4: x gamma beta running_mean running_var y
// uses: vec4 values batchnorm_evaluate
