/* Four columns of a row with a distance of one stride, so that they use the same taps, and one slice of channels each.
   Weights: [tap][input channel][output slice]. */
#define ADD(sum, pixel) \
  sum = mad((float4)(pixel.x), w0, sum); \
  sum = mad((float4)(pixel.y), w1, sum); \
  sum = mad((float4)(pixel.z), w2, sum); \
  sum = mad((float4)(pixel.w), w3, sum);

#define WRITE(sum, column) \
  if (column < out_columns) { \
    float4 v = sum; \
    int at = (row * out_columns + column) * out_slices + s; \
    EPILOGUE(v, at, s) \
    STORE4(to, at, filled(v, channels - 4 * s)); \
  }

/* A pixel of the line, zeros outside. */
#define READ(column) \
  ((column) >= 0 && (column) < in_columns ? READ_INPUT(from, (line + (column)) * in_slices + i) : (float4)(0.0f))

__kernel void transpose_conv(PARAMETERS) {
  int s = get_global_id(0), g = get_global_id(1), row = get_global_id(2);
  int x = g / column_stride * 4 * column_stride + g % column_stride;
  if (s >= out_slices || x >= out_columns || row >= batches * out_rows) return;
  int image = row / out_rows, top = row % out_rows + rows_before, left = x + columns_before;
  float4 sum0 = bias[s], sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (int ky = top % row_stride; ky < tap_rows; ky += row_stride) {
    int in_row = (top - ky) / row_stride;
    if (top < ky || in_row >= in_rows) continue;
    int line = (image * in_rows + in_row) * in_columns;
    for (int kx = left % column_stride; kx < tap_columns; kx += column_stride) {
      int column = (left - kx) / column_stride;
      int w = (ky * tap_columns + kx) * in_slices * 4 * out_slices + s;
      for (int i = 0; i < in_slices; ++i) {
        float4 w0 = READ_INPUT(weights, w), w1 = READ_INPUT(weights, w + out_slices);
        float4 w2 = READ_INPUT(weights, w + 2 * out_slices), w3 = READ_INPUT(weights, w + 3 * out_slices);
        w += 4 * out_slices;
        float4 x0 = READ(column), x1 = READ(column + 1), x2 = READ(column + 2), x3 = READ(column + 3);
        ADD(sum0, x0)
        ADD(sum1, x1)
        ADD(sum2, x2)
        ADD(sum3, x3)
      }
    }
  }
  WRITE(sum0, x)
  WRITE(sum1, (x + column_stride))
  WRITE(sum2, (x + 2 * column_stride))
  WRITE(sum3, (x + 3 * column_stride))
}
