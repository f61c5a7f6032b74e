// A batch: several dispatches of one kernel at once. `items` lists them, and one more entry whose first workgroup is the
// number of workgroups in all.

fn n_item() -> u32 {
  return arrayLength(&items) - 1u;
}

// The item to which a workgroup belongs; for a workgroup beyond the last, the last one.
fn item_of(group: u32) -> u32 {
  var low = 0u;
  var high = n_item() - 1u;
  while (low < high) {
    let middle = (low + high + 1u) / 2u;
    if (items[middle].first_group <= group) { low = middle; } else { high = middle - 1u; }
  }
  return low;
}
