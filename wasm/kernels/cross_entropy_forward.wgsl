// groups: ceil(n_row / 64)
// variants: team
// vec4: rows
// uses: scalar exp log alone cross_entropy_row
// A lane takes a row.
const n_lane = 64u;
