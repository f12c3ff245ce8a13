/* One row to mean 0 and variance 1, times gamma, plus beta. */
__kernel void layer_norm(__global float4 *to, __global const float4 *from, __global const float *gamma,
                         __global const float *beta, int rows, int slices, int channels, int epsilon_bits) {
  int row = get_global_id(0);
  if (row >= rows) return;
  __global const float *x = (__global const float *)(from + row * slices);
  __global float *y = (__global float *)(to + row * slices);
  float mean = 0.0f, variance = 0.0f;
  for (int c = 0; c < channels; ++c) mean += x[c];
  mean /= channels;
  for (int c = 0; c < channels; ++c) variance += (x[c] - mean) * (x[c] - mean);
  float scale = 1.0f / sqrt(variance / channels + as_float(epsilon_bits));
  for (int c = 0; c < channels; ++c) y[c] = (x[c] - mean) * scale * gamma[c] + beta[c];
  for (int c = channels; c < 4 * slices; ++c) y[c] = 0.0f;
}
