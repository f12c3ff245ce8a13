#pragma OPENCL FP_CONTRACT OFF

/* NaN is preserved. */
inline float4 at_least(float4 v, float low) { return select(v, (float4)(low), isless(v, (float4)(low))); }
inline float4 at_most(float4 v, float high) { return select(v, (float4)(high), isgreater(v, (float4)(high))); }

/* Clamps to finite numbers, as arithmetic without an activation does. */
inline float4 finite(float4 v) { return at_most(at_least(v, -FLT_MAX), FLT_MAX); }

/* Functions that are -1 below `end`, where some drivers do not reach -1. */
inline float4 ended(float4 y, float4 v, float end) { return select(y, (float4)(-1.0f), isless(v, (float4)(end))); }

/* Access to stored floats and slices of floats, in 32 or 16 bits. Finite numbers stay finite in 16 bits. Copies move
   bits. */
#ifdef HALVES
#define REAL half
#define LOAD(p, i) vload_half(i, p)
#define LOAD4(p, i) vloada_half4(i, p)
#define STORE(p, i, v) vstore_half(within((float4)(v)).x, i, p)
#define STORE4(p, i, v) vstorea_half4(within(v), i, p)
#define BITS ushort
#define BITS4 ushort4
inline float4 within(float4 v) { return at_most(at_least(v, -65504.0f), 65504.0f); }
#else
#define REAL float
#define LOAD(p, i) (p)[i]
#define LOAD4(p, i) ((__global const float4 *)(p))[i]
#define STORE(p, i, v) (p)[i] = v
#define STORE4(p, i, v) ((__global float4 *)(p))[i] = v
#define BITS float
#define BITS4 float4
#endif

/* Operands that are read by slices: through a pointer, or with IMAGES as pixels of an image over the same memory. With
   WIDE, an INPUT and its weights have 32-bit floats in any precision; images convert their pixels. */
#ifdef IMAGES
#define SOURCE __read_only image1d_buffer_t
#define INPUT SOURCE
#define READ4(p, i) read_imagef(p, i)
#define READ_INPUT(p, i) READ4(p, i)
#else
#define SOURCE __global const REAL *
#define READ4(p, i) LOAD4(p, i)
#ifdef WIDE
#define INPUT __global const float *
#define READ_INPUT(p, i) ((__global const float4 *)(p))[i]
#else
#define INPUT SOURCE
#define READ_INPUT(p, i) READ4(p, i)
#endif
#endif

/* Zeroes the lanes beyond the channels; `left` channels remain from this slice. */
inline float4 filled(float4 v, int left) {
  if (left < 4) {
    v.w = 0.0f;
    if (left < 3) v.z = 0.0f;
    if (left < 2) v.y = 0.0f;
  }
  return v;
}

/* The position of an element in a tensor with padded rows. */
inline int place(int element, int channels, int pitch) {
  return element / channels * pitch + element % channels;
}

