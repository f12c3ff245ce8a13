/* Floats in 16 bits, two per word, the first one in the lower bits: slices of four, and single elements by the word
   that contains them. */
alias Slice = vec2<u32>;
alias Word = u32;

/* Rounds to eleven binary digits, ties to even, because drivers may truncate. NaN is preserved, and finite numbers stay
   finite. */
fn nearest(v: vec4<f32>) -> vec4<f32> {
  let bits = bitcast<vec4<u32>>(at_most(at_least(v, -65504.0), 65504.0));
  let even = (bits >> vec4<u32>(13u)) & vec4<u32>(1u);
  let rounded = (bits + vec4<u32>(0xfffu) + even) & vec4<u32>(0xffffe000u);
  let is_number = (bits & vec4<u32>(0x7fffffffu)) <= vec4<u32>(0x7f800000u);
  return bitcast<vec4<f32>>(select(bits, rounded, is_number));
}

fn loaded(slice: Slice) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(slice.x), unpack2x16float(slice.y));
}

fn stored(v: vec4<f32>) -> Slice {
  let x = nearest(v);
  return vec2<u32>(pack2x16float(x.xy), pack2x16float(x.zw));
}

fn word(element: i32) -> i32 {
  return element >> 1u;
}

fn part(word: Word, element: i32) -> f32 {
  return unpack2x16float(word)[element & 1];
}
