/* Four elements of a row of the result. `dims` has the size and both operands' strides of each dimension but the last.
   */
override FUNCTION: u32;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let s = i32(id.x);
  let row = i32(id.y);
  if s >= n.slices || row >= n.rows {
    return;
  }
  var a_at = 0;
  var b_at = 0;
  var rest = row;
  for (var d = n.rank - 1; d >= 0; d--) {
    let index = rest % dims[3 * d];
    rest /= dims[3 * d];
    a_at += index * dims[3 * d + 1];
    b_at += index * dims[3 * d + 2];
  }
  /* Rows start with a slice. An operand with one channel is broadcast to all lanes. */
  let x = loaded(a[a_at / 4 + s * n.a_moves]);
  let y = loaded(b[b_at / 4 + s * n.b_moves]);
  let v = binary(FUNCTION, select(x.xxxx, x, vec4<bool>(n.a_moves != 0)), select(y.xxxx, y, vec4<bool>(n.b_moves != 0)));
  let at = row * n.slices + s;
  to[at] = stored(filled(epilogue(v, at, s), n.channels - 4 * s));
}
