// groups: ceil(n / 16384)
// variants: team
// binds: x scratch
// scratch: ceil(n / 256) * 4
// then: round_format.latch
// uses: round_bits
// Rounds x in place. A lane takes a piece of 256 values and notes { overflows, index in the piece and value of the first }
// for the pass that latches.
const n_lane = 64u;
const n_piece = 256u;

@compute @workgroup_size(n_lane)
fn round_format(@builtin(local_invocation_index) lane: u32,
                @builtin(workgroup_id) workgroup: vec3u,
                @builtin(num_workgroups) n_workgroup: vec3u) {
  let piece = group_index(workgroup, n_workgroup) * n_lane + lane;
  let n = params.n;
  if (piece * n_piece >= n) { return; }
  var count = 0u;
  var first = 0u;
  var value = 0.0;
  for (var i = 0u; i < min(n_piece, n - piece * n_piece); i += 1u) {
    let at = workgroup.z * n + piece * n_piece + i;
    let rounded = round_value(bitcast<u32>(x[at]));
    if (rounded.overflows && count == 0u) {
      first = i;
      value = x[at];
    }
    count += select(0u, 1u, rounded.overflows);
    x[at] = bitcast<f32>(rounded.bits);
  }
  let note = (workgroup.z * ((n + n_piece - 1u) / n_piece) + piece) * 4u;
  scratch[note] = f32(count);
  scratch[note + 1u] = f32(first);
  scratch[note + 2u] = value;
}
