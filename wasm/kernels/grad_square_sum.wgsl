// groups: ceil(n / 65536)
// variants: lane team vec4 wide
// binds: g scratch
// scratch: ceil(n / 1024) * 2
// then: grad_square_sum.total
// uses: scalar alone scratch_pair square_pair grad_square
// A lane takes a piece of 1,024 values.
const n_lane = 64u;
const n_piece = 1024u;
