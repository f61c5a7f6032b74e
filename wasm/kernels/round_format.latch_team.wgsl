// groups: 1
// binds: control latch scratch
// uses: together round_format_latch
const n_piece = 4096u;
