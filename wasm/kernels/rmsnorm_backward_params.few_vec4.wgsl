// groups: ceil(d / 64)
// variant: software && d % 4 == 0; n_lane 16
// vec4: x dy stats dgamma
// uses: vec4 norm norm_rows norm_params column_sums scaled_sums rmsnorm_backward_params_few
alias Terms = mat2x4f;
