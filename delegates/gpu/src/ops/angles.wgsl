/* sin(v + k π/2), because Vulkan's Sin is only exact to 2⁻¹¹. The four parts of π/2 have 11 bits, so their products
   with up to 2¹³ quarters of a circle are exact. */
fn sinusoid(v: vec4<f32>, k: f32) -> vec4<f32> {
  let n = round(v * 0.63661977);
  let r = (((v - n * 1.5703125) - n * 4.837513e-4) - n * 7.5495336e-8) - n * 2.563283e-12;
  let q = r * r;
  let odd = r + r * q * (((q * (1.0 / 362880.0) - 1.0 / 5040.0) * q + 1.0 / 120.0) * q - 1.0 / 6.0);
  var even = (q * (-1.0 / 3628800.0) + 1.0 / 40320.0) * q - 1.0 / 720.0;
  even = ((even * q + 1.0 / 24.0) * q - 0.5) * q + 1.0;
  let quarter = n + k - 4.0 * floor((n + k) * 0.25);
  let y = select(odd, even, quarter == vec4<f32>(1.0) | quarter == vec4<f32>(3.0));
  return select(y, -y, quarter >= vec4<f32>(2.0));
}
