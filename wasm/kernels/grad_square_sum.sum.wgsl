// groups: 1
// binds: partial scratch
// uses: together scaled_square slot_pair grad_square_total
const n_value_piece = 8192u;
