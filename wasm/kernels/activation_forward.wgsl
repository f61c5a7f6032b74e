// groups: ceil(n / 512)
// variants: vec4
// uses: scalar exp tanh activation values activation_forward
