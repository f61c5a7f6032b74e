// groups: 1
// variants: team
// uses: scalar exp alone scaled_square gradient_norm update_control
const n_lane = 1u;
