// tile: rows 1, cols all
// variants: narrow_vec4 narrow row_vec4 row
// vec4: stats
// uses: scalar norm norm_slope norm_rows together norm_together norm_backward norm_slope_output layernorm_backward_x
const n_lane = 256u;
