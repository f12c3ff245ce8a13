#pragma OPENCL FP_CONTRACT OFF

/* What is no number stays so. */
inline float4 at_least(float4 v, float low) { return select(v, (float4)(low), isless(v, (float4)(low))); }
inline float4 at_most(float4 v, float high) { return select(v, (float4)(high), isgreater(v, (float4)(high))); }

/* The largest number in place of an infinite one, as arithmetic without an activation gives it. */
inline float4 finite(float4 v) { return at_most(at_least(v, -FLT_MAX), FLT_MAX); }

/* Functions that are -1 from an end on, where drivers do not quite come to it. */
inline float4 ended(float4 y, float4 v, float end) { return select(y, (float4)(-1.0f), isless(v, (float4)(end))); }

/* How floats are stored, and single ones or slices of four of them: as they are computed with, or in 16 bits, where no number becomes
   infinite. What only moves is bits. */
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

/* What is read by slices alone: through a pointer, or with IMAGES as pixels of an image over the same memory, which is another way into the
   device. An INPUT, or the weights that it meets, has floats of 32 bits if it is WIDE, however others are stored; pixels tell by themselves. */
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

/* Lanes beyond the channels are zeros: `left` channels begin with this slice. */
inline float4 filled(float4 v, int left) {
  if (left < 4) {
    v.w = 0.0f;
    if (left < 3) v.z = 0.0f;
    if (left < 2) v.y = 0.0f;
  }
  return v;
}

/* Where an element of a tensor lies whose rows are filled up. */
inline int place(int element, int channels, int pitch) {
  return element / channels * pitch + element % channels;
}

