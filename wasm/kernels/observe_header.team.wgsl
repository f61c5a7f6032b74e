// groups: 1
// variant: !software && n_slot > 4; n_lane 64
// uses: together scaled_square gradient_norm ring_row observe_header
