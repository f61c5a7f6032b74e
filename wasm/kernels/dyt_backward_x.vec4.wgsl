// groups: ceil(n_row * d / 2048)
// variant: d % 4 == 0
// vec4: x gamma dy dx
// uses: vec4 exp tanh_slope values dyt_backward_x
