// A lane takes a whole line. Needs alone.
fn line_of(lane: u32, group: u32) -> u32 { return group * n_lane + lane; }
fn member_of(lane: u32) -> u32 { return 0u; }
