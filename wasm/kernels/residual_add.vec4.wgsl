// groups: ceil(n / 2048)
// variant: n % 4 == 0
// vec4: skip branch y
// uses: vec4 values residual_add
