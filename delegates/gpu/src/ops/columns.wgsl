/* A slice of a pixel in this line, zeros outside. */
fn pixel(column: i32, line: i32, i: i32) -> vec4<f32> {
  let inside = clamp(column, 0, n.in_columns - 1);
  let v = given(source[(line + inside) * n.in_slices + i]);
  return select(vec4<f32>(), v, vec4<bool>(inside == column));
}

fn store(sum: vec4<f32>, row: i32, x: i32, s: i32) {
  if x < n.out_columns {
    let at = (row * n.out_columns + x) * n.out_slices + s;
    to[at] = stored(filled(epilogue(sum, at, s), n.channels - 4 * s));
  }
}
