#ifdef SLICES
#define ELEMENT BITS4
#else
#define ELEMENT BITS
#endif

/* One element of the result, or one slice of it where rows have whole ones. */
__kernel void gather(PARAMETERS) {
  int i = get_global_id(0);
  if (i >= count) return;
  int row = i / inner, block = row / coords;
  int index = indices[block / outer * coords + row % coords];
  int source = (block * axis + index) * inner + i % inner;
  to[place(i, to_channels, to_pitch)] = from[place(source, from_channels, from_pitch)];
}
