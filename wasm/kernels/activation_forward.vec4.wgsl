// groups: ceil(n / 2048)
// variant: n % 4 == 0
// vec4: x y
// uses: vec4 exp tanh activation values activation_forward
