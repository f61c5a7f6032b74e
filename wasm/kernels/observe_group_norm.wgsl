// groups: 1
// variants: team
// uses: alone scaled_square gradient_norm ring_row observe_group_norm
const n_lane = 1u;
