/* One slice of a pixel. Per row and per column of the result: the pixels around, and the distance from the lower one.
   */
__kernel void resize(PARAMETERS) {
  int s = get_global_id(0), x = get_global_id(1), row = get_global_id(2);
  if (s >= slices || x >= out_columns || row >= batches * out_rows) return;
  int y = row % out_rows, image = row / out_rows * in_rows;
  int above = (image + lows[y]) * in_columns, left = lows[out_rows + x];
#ifdef NEAREST
  float4 v = READ4(from, (above + left) * slices + s);
#else
  int below = (image + highs[y]) * in_columns, right = highs[out_rows + x];
  float dy = distances[y], dx = distances[out_rows + x];
  float4 v = READ4(from, (above + left) * slices + s) * (1.0f - dy) * (1.0f - dx);
  v += READ4(from, (below + left) * slices + s) * dy * (1.0f - dx);
  v += READ4(from, (above + right) * slices + s) * (1.0f - dy) * dx;
  v += READ4(from, (below + right) * slices + s) * dy * dx;
#endif
  STORE4(to, (row * out_columns + x) * slices + s, v);
}
