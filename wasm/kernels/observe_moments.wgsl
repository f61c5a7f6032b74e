// groups: ceil((n_row + d) / 64)
// variants: small tiled
// binds: x scratch
// scratch: n_row * 4 + d
// then: observe_moments.total
// uses: alone row_moments column_moments observe_moments_lines
const n_lane = 64u;
