// groups: 1
// variants: team
// uses: alone ring_row observe_bound
const n_lane = 1u;
