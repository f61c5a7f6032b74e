// tile: rows 1, cols all
// variant: cols % 4 == 0 && cols <= 128; n_lane 32, n_reg 1
// variant: cols % 4 == 0 && cols <= 256; n_lane 64, n_reg 1
// variant: cols % 4 == 0 && cols <= 512; n_lane 64, n_reg 2
// variant: cols % 4 == 0 && cols <= 768; n_lane 64, n_reg 3
// variant: cols % 4 == 0 && cols <= 1024; n_lane 64, n_reg 4
// variant: cols % 4 == 0 && cols <= 2048; n_lane 128, n_reg 4
// variant: cols % 4 == 0 && cols <= 4096; n_lane 256, n_reg 4
// vec4: skip branch gamma sum y stats
// uses: vec4 norm norm_statistics norm_rows norm_forward_row norm_output norm_of_sum norm_scaled residual_rmsnorm_forward
