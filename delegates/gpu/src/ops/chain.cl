/* Four elements of a row, to which only the epilogue is applied. */
__kernel void chain(PARAMETERS) {
  int s = get_global_id(0), row = get_global_id(1);
  if (s >= slices || row >= rows) return;
  float4 v = READ4(from, row * slices + s);
  int at = row * slices + s;
  EPILOGUE(v, at, s)
  STORE4(to, at, filled(v, channels - 4 * s));
}
