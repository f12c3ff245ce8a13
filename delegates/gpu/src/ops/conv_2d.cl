/* Four neighbouring columns of a row and one slice of channels each. Weights: [tap][input channel][output slice]. */
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

/* The pixel that column `column` reads, zeros outside. */
#define READ(column) \
  ((column) * column_stride + left >= 0 && (column) * column_stride + left < in_columns \
       ? READ_INPUT(from, (line + (column) * column_stride + left) * in_slices + i) \
       : (float4)(0.0f))

__kernel void conv_2d(PARAMETERS) {
  int s = get_global_id(0), x = get_global_id(1) * 4, row = get_global_id(2);
  if (s >= out_slices || x >= out_columns || row >= batches * out_rows) return;
  int image = row / out_rows, y = row % out_rows;
  float4 sum0 = bias[s], sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (int ky = 0; ky < tap_rows; ++ky) {
    int in_row = y * row_stride - rows_before + ky * row_dilation;
    if (in_row < 0 || in_row >= in_rows) continue;
    int line = (image * in_rows + in_row) * in_columns;
    for (int kx = 0; kx < tap_columns; ++kx) {
      int left = kx * column_dilation - columns_before;
      int w = (ky * tap_columns + kx) * in_slices * 4 * out_slices + s;
      for (int i = 0; i < in_slices; ++i) {
        float4 w0 = READ_INPUT(weights, w), w1 = READ_INPUT(weights, w + out_slices);
        float4 w2 = READ_INPUT(weights, w + 2 * out_slices), w3 = READ_INPUT(weights, w + 3 * out_slices);
        w += 4 * out_slices;
        float4 x0 = READ(x), x1 = READ(x + 1), x2 = READ(x + 2), x3 = READ(x + 3);
        ADD(sum0, x0)
        ADD(sum1, x1)
        ADD(sum2, x2)
        ADD(sum3, x3)
      }
    }
  }
  WRITE(sum0, x)
  WRITE(sum1, (x + 1))
  WRITE(sum2, (x + 2))
  WRITE(sum3, (x + 3))
}
