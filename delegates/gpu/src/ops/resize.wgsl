/* One slice of a pixel. Per row and per column of the result: the pixels around, and the distance from the lower one.
   */
override NEAREST: u32;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let s = i32(id.x);
  let x = i32(id.y);
  let row = i32(id.z);
  if s >= n.slices || x >= n.out_columns || row >= n.batches * n.out_rows {
    return;
  }
  let y = row % n.out_rows;
  let image = row / n.out_rows * n.in_rows;
  let above = (image + lows[y]) * n.in_columns;
  let left = lows[n.out_rows + x];
  let at = (row * n.out_columns + x) * n.slices + s;
  if NEAREST != 0u {
    to[at] = source[(above + left) * n.slices + s];
    return;
  }
  let below = (image + highs[y]) * n.in_columns;
  let right = highs[n.out_rows + x];
  let dy = distances[y];
  let dx = distances[n.out_rows + x];
  var v = loaded(source[(above + left) * n.slices + s]) * (1.0 - dy) * (1.0 - dx);
  v += loaded(source[(below + left) * n.slices + s]) * dy * (1.0 - dx);
  v += loaded(source[(above + right) * n.slices + s]) * (1.0 - dy) * dx;
  v += loaded(source[(below + right) * n.slices + s]) * dy * dx;
  to[at] = stored(v);
}
