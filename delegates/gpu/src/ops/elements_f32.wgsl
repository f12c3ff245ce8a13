/* Writes single elements of results. */
alias Target = f32;

fn put(element: i32, v: f32) {
  to[element] = v;
}

fn put_slice(slice: i32, v: vec4<f32>) {
  for (var i = 0; i < 4; i++) {
    to[4 * slice + i] = v[i];
  }
}
