// groups: ceil(n / 8192)
// variant: !software; n_lane 256
// binds: g scratch
// scratch: ceil(n / 8192) * 2
// then: grad_square_sum.sum
// uses: scalar together scratch_pair square_pair grad_square
// A workgroup takes a piece of 8,192 values.
const n_piece = 8192u;
