// groups: 1
// variant: software && n <= 2048
// uses: scalar alone slot_pair square_pair grad_square
// A lane takes the whole tensor, in one pass.
const n_lane = 1u;
const n_piece = 2048u;
