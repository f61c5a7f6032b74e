// groups: ceil(n_row * d / 512)
// variants: vec4
// uses: scalar values batchnorm_evaluate
