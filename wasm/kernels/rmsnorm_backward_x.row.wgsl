// tile: rows 1, cols all
// variant: cols <= 256; n_lane 64, n_reg 4
// variant: cols <= 1024; n_lane 256, n_reg 4
// variant: cols <= 4096; n_lane 256, n_reg 16
// vec4: stats
// uses: scalar norm norm_slope norm_rows norm_backward_row norm_slope_output rmsnorm_backward_x
