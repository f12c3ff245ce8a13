/* A channel of the pixel. */
#define CHANNEL(c) lane(READ_INPUT(from, pixel + (c) / 4), (c) % 4)
inline float lane(float4 v, int i) { return i < 2 ? (i < 1 ? v.x : v.y) : (i < 3 ? v.z : v.w); }

/* One slice of a pixel. Weights: [tap][output slice]. With a multiplier, each lane reads another channel. */
__kernel void depthwise_conv_2d(PARAMETERS) {
  int s = get_global_id(0), x = get_global_id(1), row = get_global_id(2);
  if (s >= out_slices || x >= out_columns || row >= batches * out_rows) return;
  int image = row / out_rows, y = row % out_rows;
#ifdef MULTIPLIED
  int last = channels - 1;
  int4 c = min((int4)(4 * s) + (int4)(0, 1, 2, 3), (int4)(last)) / multiplier;
#endif
  float4 sum = bias[s];
  for (int ky = 0; ky < tap_rows; ++ky) {
    int in_row = y * row_stride - rows_before + ky * row_dilation;
    if (in_row < 0 || in_row >= in_rows) continue;
    for (int kx = 0; kx < tap_columns; ++kx) {
      int in_column = x * column_stride - columns_before + kx * column_dilation;
      if (in_column < 0 || in_column >= in_columns) continue;
      int pixel = ((image * in_rows + in_row) * in_columns + in_column) * in_slices;
#ifdef MULTIPLIED
      float4 x = (float4)(CHANNEL(c.x), CHANNEL(c.y), CHANNEL(c.z), CHANNEL(c.w));
#else
      float4 x = READ_INPUT(from, pixel + s);
#endif
      sum = mad(x, READ_INPUT(weights, (ky * tap_columns + kx) * out_slices + s), sum);
    }
  }
  int at = (row * out_columns + x) * out_slices + s;
  float4 v = sum;
  EPILOGUE(v, at, s)
  STORE4(to, at, filled(v, channels - 4 * s));
}
