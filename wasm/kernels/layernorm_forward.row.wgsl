// tile: rows 1, cols all
// variant: cols <= 256; n_lane 64, n_reg 4
// variant: cols <= 1024; n_lane 256, n_reg 4
// variant: cols <= 4096; n_lane 256, n_reg 16
// vec4: stats
// uses: scalar norm norm_statistics norm_rows norm_forward_row norm_output norm_of_x norm_affine layernorm_forward
