// Σ scratch[first + k stride] over n terms.
fn strided_sum(first: u32, n: u32, stride: u32) -> f32 {
  var total = 0.0;
  for (var start = 0u; start < n; start += n_block) {
    var block = 0.0;
    for (var k = start; k < min(n, start + n_block); k += 1u) { block += scratch[first + k * stride]; }
    total += block;
  }
  return total;
}
