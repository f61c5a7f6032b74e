// groups: 1
// variant: !software && n_slot > 4; n_lane 64
// uses: scalar exp together scaled_square gradient_norm update_control
