/* Products of matrices by tiles in local memory: a work-group makes 32 rows of 8 slices. `starts` has the first slices
   of both matrices and the result per product. All strides count slices; rows of the second matrix are channels of the
   first.

     8 slices of depth ─►        8 slices ─►
     ┌────────────┐ 32 rows      ┌────────────┐ 32 channels
     │ left       │              │ right      │                */
#define SIDE 8
#define ROWS 32

#define ADD(sum, pixel) \
  sum = mad((float4)(pixel.x), w0, sum); \
  sum = mad((float4)(pixel.y), w1, sum); \
  sum = mad((float4)(pixel.z), w2, sum); \
  sum = mad((float4)(pixel.w), w3, sum);

#define WRITE(sum, r) \
  if (r < rows && s < slices) { \
    float4 v = sum; \
    int at = start[2] + (r) * to_row + s; \
    EPILOGUE(v, at, s) \
    STORE4(to, at, filled(v, columns - 4 * s)); \
  }

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void tiled(PARAMETERS) {
  __local float4 left[ROWS][SIDE], right[ROWS][SIDE];
  int s = get_global_id(0), x = get_local_id(0), y = get_local_id(1), first = get_group_id(1) * ROWS;
  __global const int *start = starts + 3 * get_global_id(2);
  float4 sum0 = s < slices ? bias[s] : (float4)(0.0f), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  /* All work-items stay until the end, because all must reach the barriers. */
  for (int k = 0; k < depth; k += SIDE) {
    for (int i = y; i < ROWS; i += SIDE) {
      int in_left = first + i < rows && k + x < depth, in_right = i < 4 * (depth - k) && s < slices;
      left[i][x] = in_left ? READ_INPUT(a, start[0] + (first + i) * a_row + k + x) : (float4)(0.0f);
      right[i][x] = in_right ? READ_INPUT(b, start[1] + (4 * k + i) * b_row + s) : (float4)(0.0f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < min(SIDE, depth - k); ++i) {
      float4 w0 = right[4 * i][x], w1 = right[4 * i + 1][x], w2 = right[4 * i + 2][x], w3 = right[4 * i + 3][x];
      ADD(sum0, left[4 * y][i])
      ADD(sum1, left[4 * y + 1][i])
      ADD(sum2, left[4 * y + 2][i])
      ADD(sum3, left[4 * y + 3][i])
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  WRITE(sum0, first + 4 * y)
  WRITE(sum1, first + 4 * y + 1)
  WRITE(sum2, first + 4 * y + 2)
  WRITE(sum3, first + 4 * y + 3)
}
