/* One element of the result. `dims` has the sizes and strides of kept and of folded dimensions. */
__kernel void reduce(PARAMETERS) {
  int i = get_global_id(0);
  if (i >= results) return;
  int at = 0, rest = i;
  for (int d = kept - 1; d >= 0; --d) {
    at += rest % dims[2 * d] * dims[2 * d + 1];
    rest /= dims[2 * d];
  }
#if FOLD == 0
  float v = 0.0f;
#else
  /* Starts with the first element, or the largest number if the list is empty. NaN is lost unless it is last. */
  float v = FOLD == 1 ? -FLT_MAX : FLT_MAX;
  if (lines * size > 0) v = LOAD(from, at);
#endif
  for (int k = 0; k < lines * size; ++k) {
    int p = at;
    rest = k;
    for (int d = kept + folded - 1; d >= kept; --d) {
      p += rest % dims[2 * d] * dims[2 * d + 1];
      rest /= dims[2 * d];
    }
    float x = LOAD(from, p);
#if FOLD == 0
    v += x;
#elif FOLD == 1
    v = v > x ? v : x;
#else
    v = v < x ? v : x;
#endif
  }
  STORE(to, place(i, channels, pitch), v / as_float(divisor_bits));
}
