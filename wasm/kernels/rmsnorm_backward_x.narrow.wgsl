// tile: rows 64, cols all
// variant: software || cols <= 32; n_lane 64
// vec4: stats
// uses: scalar norm norm_slope norm_rows alone norm_alone norm_backward norm_slope_output rmsnorm_backward_x
