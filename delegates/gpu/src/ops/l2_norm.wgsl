/* Scales one row to length 1, four channels at a time. */

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let row = i32(id.x);
  if row >= n.rows {
    return;
  }
  let first = row * n.slices;
  var squares = vec4<f32>();
  for (var s = 0; s < n.slices; s++) {
    let x = loaded(source[first + s]);
    squares += filled(x * x, n.channels - 4 * s);
  }
  let length = sqrt(squares.x + squares.y + squares.z + squares.w);
  let divisor = select(length, 1e-6, length < 1e-6); /* max would replace NaN */
  for (var s = 0; s < n.slices; s++) {
    to[first + s] = stored(filled(loaded(source[first + s]) / divisor, n.channels - 4 * s));
  }
}
