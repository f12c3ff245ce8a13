/* What windows are, in the order of the host's `sizes`. */
struct Window {
  batches: i32,
  in_rows: i32,
  in_columns: i32,
  in_slices: i32,
  out_rows: i32,
  out_columns: i32,
  out_slices: i32,
  channels: i32,
  tap_rows: i32,
  tap_columns: i32,
  row_stride: i32,
  column_stride: i32,
  row_dilation: i32,
  column_dilation: i32,
  rows_before: i32,
  columns_before: i32,
}

/* The largest number. */
const LARGEST = 0x1.fffffep+127f;

/* Lanes beyond the channels are zeros: `left` channels begin with this slice. */
fn filled(v: vec4<f32>, left: i32) -> vec4<f32> {
  return select(vec4<f32>(), v, vec4<i32>(0, 1, 2, 3) < vec4<i32>(left));
}

/* Where an element of a tensor lies whose rows are filled up. */
fn place(element: i32, channels: i32, pitch: i32) -> i32 {
  return element / channels * pitch + element % channels;
}
