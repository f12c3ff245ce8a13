/* One row. */
__kernel void softmax(__global float4 *to, __global const float4 *from, int rows, int slices, int channels,
                      int beta_bits) {
  int row = get_global_id(0);
  if (row >= rows) return;
  __global const float *x = (__global const float *)(from + row * slices);
  __global float *y = (__global float *)(to + row * slices);
  float largest = -INFINITY, sum = 0.0f;
  for (int c = 0; c < channels; ++c) largest = fmax(largest, x[c]);
#ifdef LOGARITHM
  for (int c = 0; c < channels; ++c) sum += exp(x[c] - largest);
  float offset = largest + log(sum);
  for (int c = 0; c < channels; ++c) y[c] = x[c] - offset;
#else
  float beta = as_float(beta_bits);
  for (int c = 0; c < channels; ++c) {
    float e = exp((x[c] - largest) * beta);
    y[c] = e;
    sum += e;
  }
  for (int c = 0; c < channels; ++c) y[c] /= sum;
#endif
  for (int c = channels; c < 4 * slices; ++c) y[c] = 0.0f;
}
