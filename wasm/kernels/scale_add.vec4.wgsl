// groups: ceil(n / 2048)
// variant: n % 4 == 0
// vec4: x y
// uses: vec4 values scale_add
