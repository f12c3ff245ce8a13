/* One cell. Gates of a row: input, cell, forget, output, each of all cells. */
inline float logistic(float x) { return 1.0f / (1.0f + exp(-x)); }

__kernel void lstm(PARAMETERS) {
  int i = get_global_id(0);
  if (i >= count) return;
  int row = i / cells, cell = i % cells;
  __global const REAL *gate = gates + row * gates_pitch + cell;
  float c = logistic(LOAD(gate, 0)) * tanh(LOAD(gate, cells));
  c += logistic(LOAD(gate, 2 * cells)) * LOAD(before, row * pitch + cell);
  STORE(state, row * pitch + cell, c);
  STORE(to, row * pitch + cell, logistic(LOAD(gate, 3 * cells)) * tanh(c));
}
