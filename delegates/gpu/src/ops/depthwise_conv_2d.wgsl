/* One slice of a pixel. Weights: [tap][output slice]. With a multiplier, each lane reads another channel. */
override MULTIPLIED: u32;

fn channel(pixel: i32, c: i32) -> f32 {
  return given(source[pixel + c / 4])[c % 4];
}

fn slice(pixel: i32, s: i32) -> vec4<f32> {
  if MULTIPLIED == 0u {
    return given(source[pixel + s]);
  }
  let last = vec4<i32>(n.channels - 1);
  let lane = min(vec4<i32>(4 * s) + vec4<i32>(0, 1, 2, 3), last) / n.multiplier;
  return vec4<f32>(channel(pixel, lane.x), channel(pixel, lane.y), channel(pixel, lane.z), channel(pixel, lane.w));
}

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
  var sum = bias[s];
  for (var ky = 0; ky < n.tap_rows; ky++) {
    let in_row = y * n.row_stride - n.rows_before + ky * n.row_dilation;
    if in_row < 0 || in_row >= n.in_rows {
      continue;
    }
    for (var kx = 0; kx < n.tap_columns; kx++) {
      let in_column = x * n.column_stride - n.columns_before + kx * n.column_dilation;
      if in_column < 0 || in_column >= n.in_columns {
        continue;
      }
      let pixel = ((image * n.in_rows + in_row) * n.in_columns + in_column) * n.in_slices;
      sum += slice(pixel, s) * given(weights[(ky * n.tap_columns + kx) * n.out_slices + s]);
    }
  }
  let at = (row * n.out_columns + x) * n.out_slices + s;
  to[at] = stored(filled(epilogue(sum, at, s), n.channels - 4 * s));
}
