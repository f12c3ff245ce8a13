/* One cell. Gates of a row: input, cell, forget, output, each of all cells. */
inline float logistic(float x) { return 1.0f / (1.0f + exp(-x)); }

__kernel void lstm(__global float *to, __global float *state, __global const float *gates,
                   __global const float *before, int count, int cells, int pitch, int gates_pitch) {
  int i = get_global_id(0);
  if (i >= count) return;
  int row = i / cells, cell = i % cells;
  __global const float *gate = gates + row * gates_pitch + cell;
  float c = logistic(gate[0]) * tanh(gate[cells]) + logistic(gate[2 * cells]) * before[row * pitch + cell];
  state[row * pitch + cell] = c;
  to[row * pitch + cell] = logistic(gate[3 * cells]) * tanh(c);
}
