// groups: 1
// binds: partial scratch
// uses: alone scaled_square slot_pair grad_square_total
const n_lane = 1u;
const n_value_piece = 1024u;
