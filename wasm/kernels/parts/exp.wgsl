// e^x by a polynomial (a Chebyshev fit, as on the CPU): built-in functions lose a bit for every doubling of |x|, and may make
// anything of arguments out of range. Needs scalar or vec4.

// v, but NaN where x is NaN.
fn through_nan(x: Real, v: Real) -> Real {
  return select(v, x, (bitcast<Bits>(x) & Bits(0x7fffffffu)) > Bits(infinity_bits));
}

// 2^n for n from -126 to 127.
fn power_of_two(n: Ints) -> Real {
  return bitcast<Real>((n + 127) << Bits(23u));
}

// 0 below -87.33 (the smallest normal number), about 3e38 above 88.72, NaN stays.
fn exp_of(x: Real) -> Real {
  let limited = clamp(x, Real(-87.33), Real(88.72));
  let n = round(limited * 1.44269504);
  let r = (limited - n * 0.693359375) + n * 2.12194440e-4;
  var p = r * 0.00139412131 + 0.008375210201;
  p = p * r + 0.04166635164;
  p = p * r + 0.1666641451;
  p = p * r + 0.5000000047;
  p = p * r + 1.000000038;
  p = p * r + 1.0;
  // 2^n in two halves, so that n = 128 does not overflow before the product does.
  let whole = Ints(n);
  let half = whole >> Bits(1u);
  let y = p * power_of_two(half) * power_of_two(whole - half);
  return through_nan(x, select(y, Real(0.0), x < Real(-87.33)));
}
