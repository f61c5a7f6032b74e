// groups: 1
// variant: !software && d > 8; n_lane 64
// uses: together ring_row observe_bound
