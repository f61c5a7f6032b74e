// A lane does a whole sum by itself and waits for nobody: for software adapters, where waiting is dear, and for sums of a
// few terms. The same kernel text serves workgroups that sum together: see together.wgsl.
const n_team = 1u;
fn team_sum(member: u32, value: vec2f) -> vec2f { return value; }
fn team_max(member: u32, bits: u32) -> u32 { return bits; }
