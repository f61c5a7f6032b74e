// groups: ceil(n_row * d / 2048)
// variant: d % 4 == 0
// vec4: x gamma beta running_mean running_var y
// uses: vec4 values batchnorm_evaluate
