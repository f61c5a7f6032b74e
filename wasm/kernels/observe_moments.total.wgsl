// groups: 1
// binds: control ring scratch
// uses: alone ring_row observe_moments_total
const n_lane = 1u;
fn scratch_per_model() -> u32 { return 4u * params.n_row + params.d; }
