// groups: 1
// binds: control ring scratch
// uses: together ring_row column_pieces observe_moments_total
const n_lane = 256u;
fn scratch_per_model() -> u32 { return n_scratch(); }
