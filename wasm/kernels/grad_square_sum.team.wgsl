// groups: 1
// variant: !software && n <= 4096; n_lane 256
// uses: scalar together slot_pair square_pair grad_square
// A workgroup takes the whole tensor, in one pass.
const n_piece = 4096u;
