/* Four elements of a row, to which only the epilogue is applied. */

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let s = i32(id.x);
  let row = i32(id.y);
  if s >= n.slices || row >= n.rows {
    return;
  }
  let at = row * n.slices + s;
  to[at] = stored(filled(epilogue(loaded(source[at]), at, s), n.channels - 4 * s));
}
