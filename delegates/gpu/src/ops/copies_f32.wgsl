/* Copies elements and slices as bits. */
fn copy(element: i32, from_element: i32) {
  to[element] = source[from_element];
}

fn copy_slice(slice: i32, from_slice: i32) {
  for (var i = 0; i < 4; i++) {
    to[4 * slice + i] = source[4 * from_slice + i];
  }
}
