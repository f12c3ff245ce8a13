/* A slice of a pixel that begins in this line, zeros outside. */
fn pixel(column: i32, line: i32, i: i32) -> vec4<f32> {
  if column < 0 || column >= n.in_columns {
    return vec4<f32>();
  }
  return loaded(source[(line + column) * n.in_slices + i]);
}

fn store(sum: vec4<f32>, row: i32, x: i32, s: i32) {
  if x < n.out_columns {
    let at = (row * n.out_columns + x) * n.out_slices + s;
    to[at] = stored(filled(epilogue(sum, at, s), n.channels - 4 * s));
  }
}
