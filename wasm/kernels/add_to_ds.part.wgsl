fn add_to_ds(at: u32, sum: f32) {
  ds[at] = select(sum, ds[at] + sum, (params.accumulate & 1u) != 0u);
}
