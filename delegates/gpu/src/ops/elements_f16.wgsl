/* Writes single elements of results. Another invocation may write the other half of a word, so halves are written with
   atomics. */
alias Target = atomic<u32>;

fn put_bits(element: i32, bits: u32) {
  let shift = 16u * u32(element & 1);
  atomicAnd(&to[word(element)], 0xffff0000u >> shift);
  atomicOr(&to[word(element)], bits << shift);
}

fn put(element: i32, v: f32) {
  put_bits(element, stored(vec4<f32>(v)).x & 0xffffu);
}

fn put_slice(slice: i32, v: vec4<f32>) {
  let words = stored(v);
  atomicStore(&to[2 * slice], words.x);
  atomicStore(&to[2 * slice + 1], words.y);
}
