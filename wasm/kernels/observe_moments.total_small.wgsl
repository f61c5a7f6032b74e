// groups: 1
// binds: control ring scratch
// uses: together ring_row observe_moments_total
fn scratch_per_model() -> u32 { return 4u * params.n_row + params.d; }
