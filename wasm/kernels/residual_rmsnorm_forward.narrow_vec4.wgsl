// tile: rows 64, cols all
// variant: cols % 4 == 0 && (software || cols <= 32); n_lane 64
// vec4: skip branch gamma sum y stats
// uses: vec4 norm norm_statistics norm_rows alone norm_alone norm_forward norm_statistics_alone norm_output norm_of_sum norm_scaled residual_rmsnorm_forward
