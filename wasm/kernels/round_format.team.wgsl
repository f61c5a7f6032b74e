// groups: ceil(n / 4096)
// variant: !software && n % 4 == 0; n_lane 256
// binds: x scratch
// vec4: x scratch
// scratch: ceil(n / 4096) * 4
// then: round_format.latch_team
// uses: round_bits
// Rounds x in place. A workgroup takes a piece of 4,096 values and notes { overflows, index in the piece and value of the
// first } for the pass that latches.
const n_piece = 1024u; // groups of four values

// What a lane has seen.
var<private> count = 0.0;
var<private> first = 0xffffffffu;
var<private> value = 0.0;

fn round_and_note(bits: u32, index: u32) -> u32 {
  let rounded = round_value(bits);
  if (rounded.overflows) {
    if (first == 0xffffffffu) {
      first = index;
      value = bitcast<f32>(bits);
    }
    count += 1.0;
  }
  return rounded.bits;
}

@compute @workgroup_size(n_lane)
fn round_format(@builtin(local_invocation_index) lane: u32,
                @builtin(workgroup_id) workgroup: vec3u,
                @builtin(num_workgroups) n_workgroup: vec3u) {
  let n = params.n / 4u;
  let piece = group_index(workgroup, n_workgroup);
  let begin = piece * n_piece;
  for (var i = lane; i < n_piece && begin + i < n; i += n_lane) {
    let at = workgroup.z * n + begin + i;
    let bits = bitcast<vec4u>(x[at]);
    var rounded: vec4u;
    for (var k = 0u; k < 4u; k += 1u) { rounded[k] = round_and_note(bits[k], 4u * i + k); }
    x[at] = bitcast<vec4f>(rounded);
  }
  let total = sum_lanes(lane, vec2f(count, 0.0), n_lane, 1u).x;
  let earliest = ~max_lanes(lane, ~first, n_lane);
  if (begin >= n) { return; }
  // Without an overflow every lane is the first: let lane 0 write.
  if (first == earliest && (total > 0.0 || lane == 0u)) {
    let n_note = (n + n_piece - 1u) / n_piece;
    scratch[workgroup.z * n_note + piece] = vec4f(total, f32(earliest & 0xffffu), value, 0.0);
  }
}
