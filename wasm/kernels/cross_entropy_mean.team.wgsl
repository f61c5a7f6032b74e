// groups: 1
// variant: !software && n_row > 1024; n_lane 256
// variant: !software && n_row > 8; n_lane 64
// vec4: rows loss
// uses: together cross_entropy_mean
