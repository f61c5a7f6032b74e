// groups: ceil(n_row * d / 512)
// variants: vec4
// uses: scalar exp tanh values dyt_forward
