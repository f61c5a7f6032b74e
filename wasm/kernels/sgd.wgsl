// groups: ceil(n / 512)
// variants: vec4
// uses: scalar values sgd_rule sgd
