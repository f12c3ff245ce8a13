/* One slice of a pixel; taps outside of the input do not count. */
__kernel void pool_2d(PARAMETERS) {
  int s = get_global_id(0), x = get_global_id(1), row = get_global_id(2);
  if (s >= out_slices || x >= out_columns || row >= batches * out_rows) return;
  int image = row / out_rows, y = row % out_rows;
  int top = y * row_stride - rows_before, left = x * column_stride - columns_before;
  int count = 0;
#ifdef MAXIMUM
  float4 v = (float4)(-FLT_MAX);
#else
  float4 v = (float4)(0.0f);
#endif
  for (int in_row = max(top, 0); in_row < min(top + tap_rows, in_rows); ++in_row) {
    for (int in_column = max(left, 0); in_column < min(left + tap_columns, in_columns); ++in_column) {
      float4 x = READ_INPUT(from, ((image * in_rows + in_row) * in_columns + in_column) * in_slices + s);
#ifdef MAXIMUM
      v = select(v, x, isgreater(x, v));
#else
      v += x;
#endif
      ++count;
    }
  }
#ifndef MAXIMUM
  v /= (float)max(count, 1);
#endif
  int at = (row * out_columns + x) * out_slices + s;
  EPILOGUE(v, at, s)
  STORE4(to, at, filled(v, channels - 4 * s));
}
