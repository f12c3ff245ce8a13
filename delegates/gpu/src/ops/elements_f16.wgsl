/* Buffers of kernels that write single elements, and how they do. What moves is bits. Of a word another invocation may write the other
   half, so no half is written as a part of it. */
@group(0) @binding(0) var<storage, read_write> to: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read> source: array<u32>;

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

fn copy(element: i32, from_element: i32) {
  put_bits(element, source[word(from_element)] >> (16u * u32(from_element & 1)) & 0xffffu);
}

fn copy_slice(slice: i32, from_slice: i32) {
  for (var i = 0; i < 2; i++) {
    atomicStore(&to[2 * slice + i], source[2 * from_slice + i]);
  }
}
