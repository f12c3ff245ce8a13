/* What a kernel reads first, and the weights that it meets: in 32 bits, however others are stored. */
alias Input = vec4<f32>;

fn given(slice: Input) -> vec4<f32> {
  return slice;
}
