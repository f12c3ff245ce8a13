/* Four rows of a product and one slice of its columns. `starts` has the first elements of both matrices and the result
   per product. Matrices have any strides; the second one is read by slices if its rows consist of whole slices. */
#ifdef SLICES
#define READ(k) LOAD4(b + (k) * b_row, s)
#else
#define AT(k, c) LOAD(b, (k) * b_row + (c))
#define READ(k) (float4)(AT(k, c.x), AT(k, c.y), AT(k, c.z), AT(k, c.w))
#endif

#ifdef SCATTERED
/* With scattered results, the epilogue reads no operands, because their layout differs. */
#define WRITE(v, r) \
  float lanes[4] = {v.x, v.y, v.z, v.w}; \
  for (int i = 0; i < min(columns - 4 * s, 4); ++i) \
    STORE(to, place(start[2] + (r) * to_row + 4 * s + i, to_channels, to_pitch), lanes[i]);
#else
#define WRITE(v, r) STORE4(to, at, filled(v, columns - 4 * s));
#endif

#define END(sum, r) \
  if (r < rows) { \
    float4 v = sum; \
    int at = (start[2] + (r) * to_row) / 4 + s; \
    EPILOGUE(v, at, s) \
    WRITE(v, r) \
  }

__kernel void batch_matmul(PARAMETERS) {
  int s = get_global_id(0), row = get_global_id(1) * 4, product = get_global_id(2);
  if (s >= slices || row >= rows || product >= products) return;
  __global const int *start = starts + 3 * product;
  a += start[0];
  b += start[1];
  int last = rows - 1;
  int4 r = min((int4)(row) + (int4)(0, 1, 2, 3), (int4)(last)) * a_row;
#ifndef SLICES
  int end = columns - 1;
  int4 c = min((int4)(4 * s) + (int4)(0, 1, 2, 3), (int4)(end)) * b_column;
#endif
  float4 sum0 = bias[s], sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (int k = 0; k < depth; ++k) {
    float4 w = READ(k);
    int x = k * a_column;
    sum0 = mad((float4)(LOAD(a, r.x + x)), w, sum0);
    sum1 = mad((float4)(LOAD(a, r.y + x)), w, sum1);
    sum2 = mad((float4)(LOAD(a, r.z + x)), w, sum2);
    sum3 = mad((float4)(LOAD(a, r.w + x)), w, sum3);
  }
  END(sum0, row)
  END(sum1, row + 1)
  END(sum2, row + 2)
  END(sum3, row + 3)
}
