/* One row. */
__kernel void softmax(PARAMETERS) {
  int row = get_global_id(0);
  if (row >= rows) return;
  from += row * 4 * slices;
  to += row * 4 * slices;
  float largest = -INFINITY, sum = 0.0f;
  for (int c = 0; c < channels; ++c) largest = fmax(largest, LOAD(from, c));
#ifdef LOGARITHM
  for (int c = 0; c < channels; ++c) sum += exp(LOAD(from, c) - largest);
  float offset = largest + log(sum);
  for (int c = 0; c < channels; ++c) STORE(to, c, LOAD(from, c) - offset);
#else
  float beta = as_float(beta_bits);
  for (int c = 0; c < channels; ++c) sum += exp((LOAD(from, c) - largest) * beta);
  for (int c = 0; c < channels; ++c) STORE(to, c, exp((LOAD(from, c) - largest) * beta) / sum);
#endif
  for (int c = channels; c < 4 * slices; ++c) STORE(to, c, 0.0f);
}
