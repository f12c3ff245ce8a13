#pragma OPENCL FP_CONTRACT OFF

/* What is no number stays so. */
inline float4 at_least(float4 v, float low) { return select(v, (float4)(low), isless(v, (float4)(low))); }
inline float4 at_most(float4 v, float high) { return select(v, (float4)(high), isgreater(v, (float4)(high))); }

/* The largest number in place of an infinite one, as arithmetic without an activation gives it. */
inline float4 finite(float4 v) { return at_most(at_least(v, -FLT_MAX), FLT_MAX); }

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

