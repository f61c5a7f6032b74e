// groups: ceil((n_row + d) / 64)
// variant: !software && n_row <= 128 && d <= 64; n_lane 64
// binds: x scratch
// scratch: n_row * 4 + d
// then: observe_moments.total_small
// uses: alone row_moments column_moments observe_moments_lines
