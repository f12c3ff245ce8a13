/* One slice of a tile of 4 x 4 pixels, from the 36 elements of its products: At p A. Its inputs have 32 bits. */
inline void inverse(float4 *p) {
  float4 a = p[1] + p[2], b = p[1] - p[2], c = p[3] + p[4], d = p[3] - p[4];
  p[0] = p[0] + a + c;
  p[1] = b + 2.0f * d;
  p[2] = a + 4.0f * c;
  p[3] = b + 8.0f * d + p[5];
}

__kernel void winograd_inverse(PARAMETERS) {
  int s = get_global_id(0), tile = get_global_id(1);
  if (s >= slices || tile >= tiles) return;
  int line = tile / tile_columns, image = line / tile_rows;
  int top = line % tile_rows * 4, left = tile % tile_columns * 4;
  float4 p[4][6];
  for (int x = 0; x < 6; ++x) {
    float4 column[6];
    for (int y = 0; y < 6; ++y) column[y] = products[((6 * y + x) * tiles + tile) * slices + s];
    inverse(column);
    for (int y = 0; y < 4; ++y) p[y][x] = column[y];
  }
  for (int y = 0; y < min(4, out_rows - top); ++y) {
    inverse(p[y]);
    for (int x = 0; x < min(4, out_columns - left); ++x) {
      float4 v = p[y][x] + bias[s];
      int at = ((image * out_rows + top + y) * out_columns + left + x) * slices + s;
      EPILOGUE(v, at, s)
      STORE4(to, at, filled(v, channels - 4 * s));
    }
  }
}
