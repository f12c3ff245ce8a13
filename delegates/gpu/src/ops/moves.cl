/* A box of elements, slices where both sides have whole ones. Of each dimension: size, and elements from one index to the next. */
#ifdef SLICES
#define ELEMENT BITS4
#else
#define ELEMENT BITS
#endif

__kernel void moves(__global ELEMENT *to, __global const ELEMENT *from, __global const int *dims, int rank, int count,
                    int from_first, int to_first, int from_channels, int from_pitch, int to_channels, int to_pitch,
                    int fill_bits) {
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
