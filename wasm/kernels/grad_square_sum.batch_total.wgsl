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
