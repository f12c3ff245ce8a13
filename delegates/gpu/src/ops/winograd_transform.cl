/* One slice of a tile of 6 x 6 pixels, zeros outside of the image: Bt d B, each of its 36 elements to a matrix of
   [tile][slice]. Its results have 32 bits. */
inline void transform(float4 *d) {
  float4 a = d[4] - 4.0f * d[2], b = d[3] - 4.0f * d[1];
  float4 c = d[4] - d[2], e = 2.0f * (d[3] - d[1]);
  d[0] = 4.0f * d[0] - 5.0f * d[2] + d[4];
  d[5] = 4.0f * d[1] - 5.0f * d[3] + d[5];
  d[1] = a + b;
  d[2] = a - b;
  d[3] = c + e;
  d[4] = c - e;
}

__kernel void winograd_transform(PARAMETERS) {
  int s = get_global_id(0), tile = get_global_id(1);
  if (s >= slices || tile >= tiles) return;
  int line = tile / tile_columns, image = line / tile_rows;
  int top = line % tile_rows * 4 - rows_before, left = tile % tile_columns * 4 - columns_before;
  float4 d[6][6];
  for (int x = 0; x < 6; ++x) {
    float4 column[6];
    for (int y = 0; y < 6; ++y) {
      int row = top + y, at = left + x;
      int inside = row >= 0 && row < in_rows && at >= 0 && at < in_columns;
      column[y] = inside ? READ_INPUT(from, ((image * in_rows + row) * in_columns + at) * slices + s) : (float4)(0.0f);
    }
    transform(column);
    for (int y = 0; y < 6; ++y) d[y][x] = column[y];
  }
  for (int y = 0; y < 6; ++y) {
    transform(d[y]);
    for (int x = 0; x < 6; ++x) to[((6 * y + x) * tiles + tile) * slices + s] = d[y][x];
  }
}
