/* Functions of four elements that preserve NaN; some replace built-in ones that overflow or lose digits on drivers. */

fn at_least(v: vec4<f32>, low: f32) -> vec4<f32> {
  return select(v, vec4<f32>(low), v < vec4<f32>(low));
}

/* Clamps to finite numbers, as arithmetic without an activation does. */
fn finite(v: vec4<f32>) -> vec4<f32> {
  return at_most(at_least(v, -LARGEST), LARGEST);
}

fn at_most(v: vec4<f32>, high: f32) -> vec4<f32> {
  return select(v, vec4<f32>(high), v > vec4<f32>(high));
}

/* Small values by a Taylor polynomial, where the difference would lose all digits. */
fn exp_less_one(x: vec4<f32>) -> vec4<f32> {
  var p = x / 5040.0 + 1.0 / 720.0;
  p = p * x + 1.0 / 120.0;
  p = p * x + 1.0 / 24.0;
  p = p * x + 1.0 / 6.0;
  p = p * x + 0.5;
  p = p * x + 1.0;
  return select(exp(x) - 1.0, p * x, abs(x) < vec4<f32>(0.5));
}

/* ln v = 2 artanh((v − 1) / (v + 1)). Between 0.5 and 2, Vulkan's Log is only exact to 2⁻²¹. */
fn logarithm(v: vec4<f32>) -> vec4<f32> {
  let s = quotient(v - 1.0, v + 1.0);
  let q = s * s;
  var p = q * (1.0 / 15.0) + 1.0 / 13.0;
  p = p * q + 1.0 / 11.0;
  p = p * q + 1.0 / 9.0;
  p = p * q + 1.0 / 7.0;
  p = p * q + 1.0 / 5.0;
  p = p * q + 1.0 / 3.0;
  p = p * q + 1.0;
  return select(log(v), 2.0 * s * p, vec4<f32>(0.5) < v & v < vec4<f32>(2.0));
}

/* Odd rational functions of degrees 13 and 6, 13 and 8, up to where they are ±1: Eigen's `generic_fast_tanh_float` and
   `generic_fast_erf_float`. */
fn hyperbolic(v: vec4<f32>) -> vec4<f32> {
  let x = at_most(at_least(v, -7.905311), 7.905311);
  let q = x * x;
  var p = q * -2.7607685e-16 + 2.000188e-13;
  p = p * q + -8.604672e-11;
  p = p * q + 5.122297e-8;
  p = p * q + 1.4857224e-5;
  p = p * q + 6.372619e-4;
  p = p * q + 4.8935246e-3;
  let d = ((q * 1.1982584e-6 + 1.1853471e-4) * q + 2.2684346e-3) * q + 4.893525e-3;
  return select(x * p / d, sign(x), abs(x) == vec4<f32>(7.905311));
}

fn error_function(v: vec4<f32>) -> vec4<f32> {
  let x = at_most(at_least(v, -4.0), 4.0);
  let q = x * x;
  var p = q * -2.7261423e-10 + 2.7706814e-8;
  p = p * q + -2.101024e-6;
  p = p * q + -5.6925064e-5;
  p = p * q + -7.349906e-4;
  p = p * q + -2.9546e-3;
  p = p * q + -1.6096033e-2;
  var d = q * -1.4566072e-5 + -2.1337406e-4;
  d = d * q + -1.682827e-3;
  d = d * q + -7.373329e-3;
  d = d * q + -1.4264739e-2;
  return select(x * p / d, sign(x), abs(x) == vec4<f32>(4.0));
}

/* A result that rounds to zero is +0; zeros keep their sign. */
fn rounded(v: vec4<f32>) -> vec4<f32> {
  let r = round(v);
  return select(select(r, vec4<f32>(), r == vec4<f32>()), v, v == vec4<f32>());
}

/* 2 to an integer power between -126 and 127. */
fn power_of_two(n: vec4<i32>) -> vec4<f32> {
  return bitcast<vec4<f32>>((n + vec4<i32>(127)) << vec4<u32>(23u));
}

/* 2^k · e^r, where r is within half a ln 2 of 0, by Cephes' polynomial: drivers lose digits of large x. ln 2 has two
   parts, of which the first times k is exact, and so has 2^k, which reaches over all powers. */
fn exponential(v: vec4<f32>) -> vec4<f32> {
  let x = at_most(at_least(v, -104.0), 89.0);
  let k = floor(x * 1.44269504 + 0.5);
  let r = x - k * 0.693359375 + k * 2.12194440e-4;
  var p = r * 1.9875691500e-4 + 1.3981999507e-3;
  p = p * r + 8.3334519073e-3;
  p = p * r + 4.1665795894e-2;
  p = p * r + 1.6666665459e-1;
  p = p * r + 5.0000001201e-1;
  let half = vec4<i32>(k) / 2;
  return (p * r * r + r + 1.0) * power_of_two(half) * power_of_two(vec4<i32>(k) - half);
}

/* Drivers may fold a division that has a constant zero on either side, and lose infinities and NaN. The quotient by
   zero therefore comes from bits: infinity with the sign of v and o; NaN if v is 0 or NaN. */
fn quotient(v: vec4<f32>, o: vec4<f32>) -> vec4<f32> {
  let bits = bitcast<vec4<u32>>(v);
  let sign = (bits ^ bitcast<vec4<u32>>(o)) & vec4<u32>(0x80000000u);
  let is_number = (bits & vec4<u32>(0x7fffffffu)) - vec4<u32>(1u) < vec4<u32>(0x7f800000u);
  let by_zero = bitcast<vec4<f32>>(select(vec4<u32>(0x7fc00000u), sign | vec4<u32>(0x7f800000u), is_number));
  return select(v / o, by_zero, o == vec4<f32>());
}

/* Drivers may also fold a product with a constant zero. */
fn product(v: vec4<f32>, o: vec4<f32>) -> vec4<f32> {
  let bits = bitcast<vec4<u32>>(v);
  let sign = (bits ^ bitcast<vec4<u32>>(o)) & vec4<u32>(0x80000000u);
  let is_finite = (bits & vec4<u32>(0x7fffffffu)) < vec4<u32>(0x7f800000u);
  let none = bitcast<vec4<f32>>(select(vec4<u32>(0x7fc00000u), sign, is_finite));
  return select(v * o, none, o == vec4<f32>());
}

/* The root of a zero is that zero. */
fn root(v: vec4<f32>) -> vec4<f32> {
  return select(sqrt(v), v, v == vec4<f32>());
}
