/* One slice of a pixel; taps outside of the input do not count. */
override MAXIMUM: u32;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let s = i32(id.x);
  let x = i32(id.y);
  let row = i32(id.z);
  if s >= n.out_slices || x >= n.out_columns || row >= n.batches * n.out_rows {
    return;
  }
  let image = row / n.out_rows;
  let y = row % n.out_rows;
  let top = y * n.row_stride - n.rows_before;
  let left = x * n.column_stride - n.columns_before;
  var count = 0;
  var sum = vec4<f32>();
  var most = vec4<f32>(-LARGEST);
  for (var in_row = max(top, 0); in_row < min(top + n.tap_rows, n.in_rows); in_row++) {
    for (var in_column = max(left, 0); in_column < min(left + n.tap_columns, n.in_columns); in_column++) {
      let v = given(source[((image * n.in_rows + in_row) * n.in_columns + in_column) * n.in_slices + s]);
      if MAXIMUM == 0u {
        sum += v;
      } else {
        most = select(most, v, v > most);
      }
      count++;
    }
  }
  let at = (row * n.out_columns + x) * n.out_slices + s;
  let result = select(sum / f32(max(count, 1)), most, vec4<bool>(MAXIMUM != 0u));
  to[at] = stored(filled(epilogue(result, at, s), n.channels - 4 * s));
}
