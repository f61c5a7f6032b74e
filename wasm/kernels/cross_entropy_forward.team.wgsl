// groups: n_row
// variant: !software && n_class > 4096; n_lane 256
// variant: !software && n_class > 32; n_lane 64
// vec4: rows
// uses: scalar exp log together cross_entropy_row
// A workgroup takes a row.
