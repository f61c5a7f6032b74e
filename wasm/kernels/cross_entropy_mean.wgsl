// groups: 1
// variants: team
// vec4: rows loss
// uses: alone cross_entropy_mean
const n_lane = 1u;
