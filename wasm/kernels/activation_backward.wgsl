// groups: ceil(n / 512)
// variants: vec4
// uses: scalar exp activation activation_slope values activation_backward
