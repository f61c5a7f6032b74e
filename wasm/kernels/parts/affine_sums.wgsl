// Writes the sums of one column, or adds them to the gradients that are there.
fn write_sums(model: u32, column: u32, terms: Terms) {
  let feature = model * (params.d / width) + column;
  var sums = terms;
  if ((params.accumulate & 1u) != 0u) { sums[0] += dgamma[feature]; }
  if ((params.accumulate & 2u) != 0u) { sums[1] += dbeta[feature]; }
  dgamma[feature] = sums[0];
  dbeta[feature] = sums[1];
}
