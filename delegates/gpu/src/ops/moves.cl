/* A box of elements, slices if both sides have whole ones. `dims` has the size and both strides of each dimension. */
#ifdef SLICES
#define ELEMENT BITS4
#else
#define ELEMENT BITS
#endif

__kernel void moves(PARAMETERS) {
  int i = get_global_id(0);
  if (i >= count) return;
  int source = from_first, target = to_first;
  for (int d = rank - 1; d >= 0; --d) {
    int size = dims[3 * d], index = i % size;
    i /= size;
    source += index * dims[3 * d + 1];
    target += index * dims[3 * d + 2];
  }
#if defined(FILL) && defined(SLICES)
  STORE4((__global REAL *)to, place(target, to_channels, to_pitch), (float4)(as_float(fill_bits)));
#elif defined(FILL)
  STORE((__global REAL *)to, place(target, to_channels, to_pitch), as_float(fill_bits));
#else
  to[place(target, to_channels, to_pitch)] = from[place(source, from_channels, from_pitch)];
#endif
}
