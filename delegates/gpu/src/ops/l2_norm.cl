/* Scales one row to length 1. */
__kernel void l2_norm(PARAMETERS) {
  int row = get_global_id(0);
  if (row >= rows) return;
  from += row * 4 * slices;
  to += row * 4 * slices;
  float squares = 0.0f;
  for (int c = 0; c < channels; ++c) squares += LOAD(from, c) * LOAD(from, c);
  float length = sqrt(squares);
  if (length < 1e-6f) length = 1e-6f; /* fmax would replace NaN */
  for (int c = 0; c < channels; ++c) STORE(to, c, LOAD(from, c) / length);
  for (int c = channels; c < 4 * slices; ++c) STORE(to, c, 0.0f);
}
