// The lanes of a workgroup share a line: lane l takes the items l, l + n_lane, … Needs together.
fn line_of(lane: u32, group: u32) -> u32 { return group; }
fn member_of(lane: u32) -> u32 { return lane; }
