// The values to normalize are sum = alpha * skip + dt * branch, the first output; y is the second.
const y_bit = 2u;
fn value_at(at: u32) -> Real { return params.dt * branch[at] + params.alpha * skip[at]; }
fn keep_value(at: u32, v: Real) {
  var value = v;
  if ((params.accumulate & 1u) != 0u) { value += sum[at]; }
  sum[at] = value;
}
