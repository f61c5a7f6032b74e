// groups: ceil(n / 65536)
// variants: lane team vec4 wide
// binds: g scratch
// scratch: ceil(n / 1024) * 2
// then: grad_square_sum.total
// uses: scalar alone scratch_pair square_pair grad_square
// A lane takes a piece of 1,024 values.
const n_lane = 64u;
const n_piece = 1024u;

// ---- grad_square.part ----
// The pair of a piece of g. Needs square_pair; n_piece and keep_pair of the file that uses this.
fn gradient(i: u32) -> Real { return g[i]; }

@compute @workgroup_size(n_lane)
fn grad_square_sum(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let n = params.n / width;
  let piece = group_index(workgroup, n_workgroup) * (n_lane / n_team) + lane / n_team;
  let first = min(piece * n_piece, n);
  let model = workgroup.z * n;
  let pair = square_pair(lane % n_team, model + first, model + min(first + n_piece, n));
  if (lane % n_team != 0u || first >= n) { return; }
  keep_pair(pair, piece, workgroup.z, n_workgroup.z);
}

// ---- grad_square_total.part ----
// The pairs of all pieces as one pair: the second pass. Needs scaled_square, slot_pair; n_value_piece: values of a piece.
var<private> pieces: u32; // where the model's pairs begin
fn pair(i: u32) -> vec2f {
  let at = 2u * (pieces + i);
  return vec2f(scratch[at], scratch[at + 1u]);
}

@compute @workgroup_size(n_lane)
fn grad_square_sum(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let n = (params.n + n_value_piece - 1u) / n_value_piece;
  pieces = workgroup.z * n;
  let total = combine_pairs(lane, n);
  if (lane != 0u || group_index(workgroup, n_workgroup) != 0u) { return; }
  keep_pair(select(vec2f(1.0, not_a_number(0u)), total, is_finite(total.y)), 0u, workgroup.z, n_workgroup.z);
}

// ---- scratch_pair.part ----
// A piece's pair in scratch, [model][piece][2], for the pass that combines them. Needs n_piece and width.
fn keep_pair(pair: vec2f, piece: u32, model: u32, n_model: u32) {
  let per_model = (params.n / width + n_piece - 1u) / n_piece;
  let at = 2u * (model * per_model + piece);
  scratch[at] = pair.x;
  scratch[at + 1u] = pair.y;
}

// ---- slot_pair.part ----
// A model's slot of `partial`, which several kernels of a step fill one by one.
fn keep_pair(pair: vec2f, piece: u32, model: u32, n_model: u32) {
  let at = model * (arrayLength(&partial) / n_model) + 2u * params.slot;
  partial[at] = pair.x;
  partial[at + 1u] = pair.y;
}

// ---- square_pair.part ----
// { scale, Σ (g / scale)² } of some gradients: scale is the power of two at or below the largest |g|, at least 2^-120 so that
// its reciprocal is a number; { 1, NaN } where a g is not finite. Needs scalar or vec4, alone or together; gradient(i) of
// the file that uses this.
fn square_pair(member: u32, first: u32, end: u32) -> vec2f {
  var share = 0u;
  for (var i = first + member; i < end; i += n_team) {
    share = max(share, largest_of(bitcast<Bits>(gradient(i)) & Bits(0x7fffffffu)));
  }
  let largest = team_max(member, share);
  let exponent = max(min(largest >> 23u, 254u), 7u);
  // The reciprocal in two halves, because that of 2^127 is no normal number.
  let half = (exponent + 1u) / 2u;
  let low = bitcast<f32>((127u + 64u - half) << 23u);
  let high = bitcast<f32>((127u + 63u - (exponent - half)) << 23u);
  var total = 0.0;
  for (var start = first + member; start < end; start += n_team * n_block) {
    var block = Real(0.0);
    for (var i = start; i < min(end, start + n_team * n_block); i += n_team) {
      let v = gradient(i) * low * high;
      block += v * v;
    }
    total += sum_of(block);
  }
  let sum = team_sum(member, vec2f(total, 0.0)).x;
  if (largest >= infinity_bits) { return vec2f(1.0, not_a_number(0u)); }
  return vec2f(select(bitcast<f32>(exponent << 23u), 0.0, largest == 0u), sum);
}

// ---- grad_square_sum.batch ----
// batch: ceil(n / (4096 * ceil(n / 1048576)))
// binds: arena items scratch
// scratch: groups * 128
// then: grad_square_sum.batch_total
// uses: scalar alone square_pair
// Square sums of many gradients at once. A workgroup takes 4,096 values, more of a large tensor; a lane every 64th of them,
// whose { scale, sum } it leaves in scratch, [model][workgroup][lane], for the pass that combines those of a tensor.
const n_lane = 64u;

// Where the lane's gradients lie.
var<private> origin: u32;
fn gradient(i: u32) -> Real { return arena[origin + i * n_lane]; }

@compute @workgroup_size(n_lane)
fn grad_square_sum(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let n_group = items[n_item()].first_group;
  if (group >= n_group) { return; }
  let item = items[item_of(group)];
  let n_value = 4096u * ((item.n + 1048575u) / 1048576u);
  let first = (group - item.first_group) * n_value + lane;
  let end = min(item.n, (group - item.first_group + 1u) * n_value);
  origin = item.g_at + workgroup.z * item.n + first;
  let n = select(0u, (end - first + n_lane - 1u) / n_lane, first < end);
  let pair = square_pair(0u, 0u, n);
  let at = 2u * ((workgroup.z * n_group + group) * n_lane + lane);
  scratch[at] = pair.x;
  scratch[at + 1u] = pair.y;
}

// ---- grad_square_sum.batch_total ----
// groups: items
// binds: arena items scratch
// uses: together scaled_square
// The pairs of a tensor's lanes as one pair, into its slot of `partial`. A workgroup takes a tensor.
const n_lane = 64u;

var<private> pairs: u32; // where the tensor's pairs begin
fn pair(i: u32) -> vec2f {
  let at = 2u * (pairs + i);
  return vec2f(scratch[at], scratch[at + 1u]);
}

@compute @workgroup_size(n_lane)
fn grad_square_sum(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let index = min(group, n_item() - 1u);
  let item = items[index];
  pairs = 64u * (workgroup.z * items[n_item()].first_group + item.first_group);
  let total = combine_pairs(lane, 64u * (items[index + 1u].first_group - item.first_group));
  if (lane != 0u || group >= n_item()) { return; }
  let at = item.partial_at + workgroup.z * item.partial_size + 2u * item.slot;
  let broken = !is_finite(total.y);
  arena[at] = select(total.x, 1.0, broken);
  arena[at + 1u] = select(total.y, not_a_number(0u), broken);
}

// ---- grad_square_sum.lane ----
// groups: 1
// variant: software && n <= 2048
// uses: scalar alone slot_pair square_pair grad_square
// A lane takes the whole tensor, in one pass.
const n_lane = 1u;
const n_piece = 2048u;

// ---- grad_square_sum.sum ----
// groups: 1
// binds: partial scratch
// uses: together scaled_square slot_pair grad_square_total
const n_value_piece = 8192u;

// ---- grad_square_sum.team ----
// groups: 1
// variant: !software && n <= 4096; n_lane 256
// uses: scalar together slot_pair square_pair grad_square
// A workgroup takes the whole tensor, in one pass.
const n_piece = 4096u;

// ---- grad_square_sum.total ----
// groups: 1
// binds: partial scratch
// uses: alone scaled_square slot_pair grad_square_total
const n_lane = 1u;
const n_value_piece = 1024u;

// ---- grad_square_sum.vec4 ----
// groups: ceil(n / 8192)
// variant: !software && n % 4 == 0; n_lane 256
// binds: g scratch
// vec4: g
// scratch: ceil(n / 8192) * 2
// then: grad_square_sum.sum
// uses: vec4 together scratch_pair square_pair grad_square
// A workgroup takes a piece of 8,192 values.
const n_piece = 2048u;

// ---- grad_square_sum.wide ----
// groups: ceil(n / 8192)
// variant: !software; n_lane 256
// binds: g scratch
// scratch: ceil(n / 8192) * 2
// then: grad_square_sum.sum
// uses: scalar together scratch_pair square_pair grad_square
// A workgroup takes a piece of 8,192 values.
const n_piece = 8192u;
