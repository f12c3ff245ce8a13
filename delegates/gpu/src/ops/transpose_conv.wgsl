/* Four columns of a row with a distance of one stride, so that they use the same taps, and one slice of channels each.
   Weights: [tap][input channel][output slice]. */
// with columns.wgsl

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let s = i32(id.x);
  let g = i32(id.y);
  let row = i32(id.z);
  let x = g / n.column_stride * 4 * n.column_stride + g % n.column_stride;
  if s >= n.out_slices || x >= n.out_columns || row >= n.batches * n.out_rows {
    return;
  }
  let image = row / n.out_rows;
  let top = row % n.out_rows + n.rows_before;
  let left = x + n.columns_before;
  var sum0 = bias[s];
  var sum1 = sum0;
  var sum2 = sum0;
  var sum3 = sum0;
  for (var ky = top % n.row_stride; ky < n.tap_rows; ky += n.row_stride) {
    let in_row = (top - ky) / n.row_stride;
    if top < ky || in_row >= n.in_rows {
      continue;
    }
    let line = (image * n.in_rows + in_row) * n.in_columns;
    for (var kx = left % n.column_stride; kx < n.tap_columns; kx += n.column_stride) {
      let column = (left - kx) / n.column_stride;
      var w = (ky * n.tap_columns + kx) * n.in_slices * 4 * n.out_slices + s;
      for (var i = 0; i < n.in_slices; i++) {
        let w0 = given(weights[w]);
        let w1 = given(weights[w + n.out_slices]);
        let w2 = given(weights[w + 2 * n.out_slices]);
        let w3 = given(weights[w + 3 * n.out_slices]);
        w += 4 * n.out_slices;
        let x0 = pixel(column, line, i);
        let x1 = pixel(column + 1, line, i);
        let x2 = pixel(column + 2, line, i);
        let x3 = pixel(column + 3, line, i);
        sum0 += x0.x * w0 + x0.y * w1 + x0.z * w2 + x0.w * w3;
        sum1 += x1.x * w0 + x1.y * w1 + x1.z * w2 + x1.w * w3;
        sum2 += x2.x * w0 + x2.y * w1 + x2.z * w2 + x2.w * w3;
        sum3 += x3.x * w0 + x3.y * w1 + x3.z * w2 + x3.w * w3;
      }
    }
  }
  store(sum0, row, x, s);
  store(sum1, row, x + n.column_stride, s);
  store(sum2, row, x + 2 * n.column_stride, s);
  store(sum3, row, x + 3 * n.column_stride, s);
}
