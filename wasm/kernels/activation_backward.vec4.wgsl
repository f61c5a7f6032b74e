// groups: ceil(n / 2048)
// variant: n % 4 == 0
// vec4: x dy dx
// uses: vec4 exp tanh activation activation_slope values activation_backward
