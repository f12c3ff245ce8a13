/* Copies elements and slices as bits. */
fn copy(element: i32, from_element: i32) {
  put_bits(element, source[word(from_element)] >> (16u * u32(from_element & 1)) & 0xffffu);
}

fn copy_slice(slice: i32, from_slice: i32) {
  for (var i = 0; i < 2; i++) {
    atomicStore(&to[2 * slice + i], source[2 * from_slice + i]);
  }
}
