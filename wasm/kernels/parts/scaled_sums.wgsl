// Writes the sum of one column, or adds it to the gradient that is there.
fn write_sums(model: u32, column: u32, terms: Terms) {
  let feature = model * (params.d / width) + column;
  var sum = terms[0];
  if ((params.accumulate & 1u) != 0u) { sum += dgamma[feature]; }
  dgamma[feature] = sum;
}
