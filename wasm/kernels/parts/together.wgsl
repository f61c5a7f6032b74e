// The lanes of a workgroup do a sum together; n_lane is the variant's. A lane by itself: see alone.wgsl.
const n_team = n_lane;
fn team_sum(member: u32, value: vec2f) -> vec2f { return sum_lanes(member, value, n_team, 1u); }
fn team_max(member: u32, bits: u32) -> u32 { return max_lanes(member, bits, n_team); }
