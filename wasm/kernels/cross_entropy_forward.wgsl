// groups: ceil(n_row / 64)
// variants: team
// vec4: rows
// uses: scalar exp log alone cross_entropy_row
// A lane takes a row.
const n_lane = 64u;

// ---- cross_entropy_row.part ----
// Softmax cross-entropy of a row: the largest logit and log Σ e^(z - largest), in one reading. Needs scalar, exp, log, and
// alone or together.

// Integers in the order of the numbers, NaN above all of them.
const lowest_order = 0x007fffffu; // -Inf
fn order_of(v: f32) -> u32 {
  if (magnitude_bits(v) > infinity_bits) { return 0xffffffffu; }
  let bits = bitcast<u32>(v);
  return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}
fn number_at(order: u32) -> f32 {
  return bitcast<f32>(select(~order, order & 0x7fffffffu, order >= 0x80000000u));
}
fn finite_or_0(v: f32) -> f32 { return select(0.0, v, is_finite(v)); }

// Σ e^(z - shift) over the values so far, which lie at or below `most`.
struct RowSum {
  most: u32,
  shift: f32,
  sum: f32,
}

// One more block: the logits start, start + n_team, …, at most n_held of them, before `end`.
const n_held = 8u;
fn add_block(so_far: RowSum, start: u32, end: u32) -> RowSum {
  var z: array<f32, n_held>;
  var most = so_far.most;
  for (var k = 0u; k < n_held; k += 1u) {
    z[k] = logits[min(start + k * n_team, end - 1u)];
    most = max(most, order_of(z[k])); // the last logit may count twice here
  }
  let shift = finite_or_0(number_at(most));
  var block = 0.0;
  for (var k = 0u; k < n_held; k += 1u) {
    block += select(0.0, exp_of(z[k] - shift), start + k * n_team < end);
  }
  return RowSum(most, shift, so_far.sum * exp_of(so_far.shift - shift) + block);
}

fn row_sum(member: u32, first: u32) -> RowSum {
  let end = first + params.n_class;
  var share = RowSum(lowest_order, 0.0, 0.0);
  for (var start = first + member; start < end; start += n_team * n_held) { share = add_block(share, start, end); }
  let most = team_max(member, share.most);
  let shift = finite_or_0(number_at(most));
  let rescaled = share.sum * exp_of(share.shift - shift);
  return RowSum(most, shift, team_sum(member, vec2f(rescaled, 0.0)).x);
}

// log Σ e^(z - largest) - (z[target] - largest), with z-loss also z_loss (log Z)²: nothing large is subtracted from
// something large.
fn row_loss(z: f32, largest: f32, log_sum: f32) -> f32 {
  if (!is_finite(largest)) { // +Inf elsewhere: the target's probability is 0. Else it is unknown.
    let elsewhere = bitcast<u32>(largest) == infinity_bits && bitcast<u32>(z) != infinity_bits;
    return bitcast<f32>(select(0x7fc00000u, bitcast<u32>(largest), elsewhere));
  }
  let loss = log_sum - (z - largest);
  let log_z = largest + log_sum; // its square may be no number
  return select(loss, loss + params.z_loss * log_z * log_z, params.z_loss != 0.0);
}

@compute @workgroup_size(n_lane)
fn cross_entropy_forward(@builtin(local_invocation_index) lane: u32,
                         @builtin(workgroup_id) workgroup: vec3u,
                         @builtin(num_workgroups) n_workgroup: vec3u) {
  let index = group_index(workgroup, n_workgroup) * (n_lane / n_team) + lane / n_team;
  let row = workgroup.z * params.n_row + min(index, params.n_row - 1u);
  let first = row * params.n_class;
  let total = row_sum(lane % n_team, first);
  if (index >= params.n_row || lane % n_team != 0u) { return; }

  let largest = number_at(total.most);
  let log_sum = select(not_a_number(0u), log_positive(total.sum), is_finite(largest));
  let counted = targets[row] != params.ignore_index;
  let class_index = select(0u, u32(max(targets[row], 0.0)), counted);
  let loss = row_loss(logits[first + class_index], largest, log_sum);
  rows[row] = vec4f(largest, log_sum, select(0.0, loss, counted), select(0.0, 1.0, counted));
}

// ---- log.part ----
// Natural logarithm of a positive normal number, as on the CPU: near 1 the built-in function is exact to 2^-21 only, which
// is much of a small loss.
fn log_positive(x: f32) -> f32 {
  let bits = bitcast<i32>(x);
  let exponent = (bits - 0x3f3504f3) >> 23u; // so that the mantissa lies in [√½, √2)
  let m = bitcast<f32>(bits - (exponent << 23u));
  let s = (m - 1.0) / (m + 1.0);
  let u = s * s;
  let p = ((0.1167097169 * u + 0.1427519848) * u + 0.200000628) * u + 0.3333333327;
  let e = f32(exponent);
  return e * 0.693359375 + (2.0 * s + (2.0 * s * u * p - e * 2.12194440e-4));
}

// ---- cross_entropy_forward.team ----
// groups: n_row
// variant: !software && n_class > 4096; n_lane 256
// variant: !software && n_class > 32; n_lane 64
// vec4: rows
// uses: scalar exp log together cross_entropy_row
// A workgroup takes a row.
