/* Four elements of a row of the result. `dims` has the size and both operands' strides of each dimension but the last.
   */
inline float4 operand(__global const REAL *from, int at, int s, int moves) {
  if (moves) return LOAD4(from + at, s);
  return (float4)(LOAD(from, at));
}

__kernel void elementwise(PARAMETERS) {
  int s = get_global_id(0), row = get_global_id(1);
  if (s >= slices || row >= rows) return;
  int a_at = 0, b_at = 0, rest = row;
  for (int d = rank - 1; d >= 0; --d) {
    int size = dims[3 * d], index = rest % size;
    rest /= size;
    a_at += index * dims[3 * d + 1];
    b_at += index * dims[3 * d + 2];
  }
  float4 v = operand(a, a_at, s, a_moves), o = operand(b, b_at, s, b_moves);
  v = FUNCTION;
  int at = row * slices + s;
  EPILOGUE(v, at, s)
  STORE4(to, at, filled(v, channels - 4 * s));
}
