// tile: rows 1, cols all
// variants: narrow_vec4 narrow row_vec4 row
// vec4: stats
// uses: scalar norm norm_statistics norm_rows together norm_together norm_forward norm_statistics_together norm_output norm_of_x norm_affine layernorm_forward
const n_lane = 256u;
