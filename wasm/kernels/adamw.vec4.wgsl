// groups: ceil(n / 2048)
// variant: n % 4 == 0
// vec4: g p m v
// uses: vec4 values adamw_rule adamw
