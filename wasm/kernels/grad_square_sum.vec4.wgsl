// groups: ceil(n / 8192)
// variant: !software && n % 4 == 0; n_lane 256
// binds: g scratch
// vec4: g
// scratch: ceil(n / 8192) * 2
// then: grad_square_sum.sum
// uses: vec4 together scratch_pair square_pair grad_square
// A workgroup takes a piece of 8,192 values.
const n_piece = 2048u;
