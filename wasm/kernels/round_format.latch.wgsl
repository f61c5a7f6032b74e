// groups: 1
// binds: control latch scratch
// uses: alone round_format_latch
const n_lane = 1u;
const n_piece = 256u;
