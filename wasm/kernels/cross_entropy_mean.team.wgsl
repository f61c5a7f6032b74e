// groups: 1
// variant: !software && n_row > 32; n_lane 256
// vec4: rows loss
// uses: together cross_entropy_mean
