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

// ---- round_format.latch ----
// groups: 1
// binds: control latch scratch
// uses: alone round_format_latch
const n_lane = 1u;
const n_piece = 256u;

// ---- round_format.latch_team ----
// groups: 1
// binds: control latch scratch
// uses: together round_format_latch
const n_piece = 4096u;

// ---- round_format.team ----
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

// ---- round_bits.part ----
// Rounding to fp16 and bf16, to nearest even, on the bits of a float: conversions of GPUs truncate, flush or turn 7e4 into
// NaN. magnitude: the bits of |x|, finite. The result may be infinity_bits.
const fp16 = 1u;
const bf16 = 2u;

// To a multiple of 2^n_bit of the last place. A carry moves into the exponent, as it should.
fn round_last(magnitude: u32, n_bit: u32) -> u32 {
  let even = (magnitude >> n_bit) & 1u;
  return ((magnitude + (1u << (n_bit - 1u)) - 1u + even) >> n_bit) << n_bit;
}

fn round_fp16(magnitude: u32) -> u32 {
  let exponent = magnitude >> 23u;
  if (exponent >= 113u) { // normal in fp16: at least 2^-14
    let rounded = round_last(magnitude, 13u);
    return select(rounded, infinity_bits, rounded >= 0x47800000u); // 65,536 and beyond
  }
  if (exponent < 102u) { return 0u; } // below half of the smallest subnormal, 2^-25
  // Subnormal: a multiple of 2^-24.
  let n_bit = 126u - exponent;
  let unit = round_last((magnitude & 0x7fffffu) | 0x800000u, n_bit) >> n_bit;
  return bitcast<u32>(f32(unit) * 0x1p-24f);
}

fn round_bits(magnitude: u32) -> u32 {
  if (params.format == fp16) { return round_fp16(magnitude); }
  return round_last(magnitude, 16u);
}

// The value rounded; Inf and NaN stay.
struct Rounded {
  bits: u32,
  overflows: bool,
}
fn round_value(bits: u32) -> Rounded {
  let magnitude = bits & 0x7fffffffu;
  if (magnitude >= infinity_bits || params.format == 0u) { return Rounded(bits, false); }
  let rounded = round_bits(magnitude);
  return Rounded((bits & 0x80000000u) | rounded, rounded == infinity_bits);
}

// ---- round_format_latch.part ----
// The first overflow of the pieces, in the order of the values, and how many there were: into the latch. Needs alone or
// together, and n_piece, the values of a piece.
@compute @workgroup_size(n_lane)
fn round_format(@builtin(local_invocation_index) lane: u32,
                @builtin(workgroup_id) workgroup: vec3u,
                @builtin(num_workgroups) n_workgroup: vec3u) {
  let member = lane % n_team;
  let n_note = (params.n + n_piece - 1u) / n_piece;
  let notes = workgroup.z * n_note;
  var share = 0.0;
  var first = 0xffffffffu; // piece
  for (var i = member; i < n_note; i += n_team) {
    let n_overflow = scratch[(notes + i) * 4u];
    if (n_overflow > 0.0) { first = min(first, i); }
    share += n_overflow;
  }
  let total = team_sum(member, vec2f(share, 0.0)).x;
  first = ~team_max(member, ~first);
  if (lane != 0u || first == 0xffffffffu || group_index(workgroup, n_workgroup) != 0u) { return; }
  let at = workgroup.z * 8u;
  if (latch[at] == 0.0) {
    let note = (notes + first) * 4u;
    let index = first * n_piece + u32(scratch[note + 1u]);
    latch[at + 1u] = control[workgroup.z * 8u];
    latch[at + 2u] = f32(params.point);
    latch[at + 3u] = f32(index % params.d);
    latch[at + 4u] = scratch[note + 2u];
  }
  latch[at] = min(latch[at] + total, 16777216.0); // there a float no longer counts by ones
}
