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
