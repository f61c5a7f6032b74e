// tile: rows 64, cols all
// variant: cols % 4 == 0 && (software || cols <= 32); n_lane 64
// vec4: x gamma dy dx stats
// uses: vec4 norm norm_slope norm_rows alone norm_alone norm_backward norm_slope_output layernorm_backward_x
