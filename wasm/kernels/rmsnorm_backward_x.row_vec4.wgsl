// tile: rows 1, cols all
// variant: cols % 4 == 0 && cols <= 128; n_lane 32, n_reg 1
// variant: cols % 4 == 0 && cols <= 256; n_lane 64, n_reg 1
// variant: cols % 4 == 0 && cols <= 512; n_lane 64, n_reg 2
// variant: cols % 4 == 0 && cols <= 768; n_lane 64, n_reg 3
// variant: cols % 4 == 0 && cols <= 1024; n_lane 64, n_reg 4
// variant: cols % 4 == 0 && cols <= 2048; n_lane 128, n_reg 4
// variant: cols % 4 == 0 && cols <= 4096; n_lane 256, n_reg 4
// vec4: x gamma dy dx stats
// uses: vec4 norm norm_slope norm_rows norm_backward_row norm_slope_output rmsnorm_backward_x
