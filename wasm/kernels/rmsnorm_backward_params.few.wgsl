// groups: ceil(d / 64)
// variant: software || n_row <= 64; n_lane 64
// vec4: stats
// uses: scalar norm norm_rows norm_params column_sums scaled_sums rmsnorm_backward_params_few
alias Terms = vec2f;
