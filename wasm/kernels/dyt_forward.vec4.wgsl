// groups: ceil(n_row * d / 2048)
// variant: d % 4 == 0
// vec4: x gamma beta y
// uses: vec4 exp tanh values dyt_forward
