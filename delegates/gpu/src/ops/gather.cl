#ifdef SLICES
#define ELEMENT BITS4
#else
#define ELEMENT BITS
#endif

/* One element of the result, or one slice of it where rows have whole ones. */
__kernel void gather(__global ELEMENT *to, __global const ELEMENT *from, __global const int *indices, int count,
                     int outer, int axis, int coords, int inner, int from_channels, int from_pitch, int to_channels,
                     int to_pitch) {
  int i = get_global_id(0);
  if (i >= count) return;
  int row = i / inner, block = row / coords;
  int index = indices[block / outer * coords + row % coords];
  int source = (block * axis + index) * inner + i % inner;
  to[place(i, to_channels, to_pitch)] = from[place(source, from_channels, from_pitch)];
}
