/* Inputs and their weights, stored in 32 bits in any precision. */
alias Input = vec4<f32>;

fn given(slice: Input) -> vec4<f32> {
  return slice;
}
