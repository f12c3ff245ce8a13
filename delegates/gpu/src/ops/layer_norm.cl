/* Normalizes one row to mean 0 and variance 1, times gamma, plus beta. */
__kernel void layer_norm(PARAMETERS) {
  int row = get_global_id(0);
  if (row >= rows) return;
  from += row * 4 * slices;
  to += row * 4 * slices;
  float mean = 0.0f, variance = 0.0f;
  for (int c = 0; c < channels; ++c) mean += LOAD(from, c);
  mean /= channels;
  for (int c = 0; c < channels; ++c) {
    float x = LOAD(from, c) - mean;
    variance += x * x;
  }
  float scale = 1.0f / sqrt(variance / channels + as_float(epsilon_bits));
  for (int c = 0; c < channels; ++c) STORE(to, c, (LOAD(from, c) - mean) * scale * LOAD(gamma, c) + LOAD(beta, c));
  for (int c = channels; c < 4 * slices; ++c) STORE(to, c, 0.0f);
}
