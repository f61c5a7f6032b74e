// groups: ceil(n / 512)
// variants: vec4
// uses: scalar exp tanh activation activation_slope values activation_backward
