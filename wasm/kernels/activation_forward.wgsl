// groups: ceil(n / 512)
// variants: vec4
// uses: scalar exp activation values activation_forward
