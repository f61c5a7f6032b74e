// groups: ceil(n / 2048)
// variant: n % 4 == 0
// vec4: g p v
// uses: vec4 values sgd_rule sgd
