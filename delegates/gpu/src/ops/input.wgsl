/* What a kernel reads first, and the weights that it meets: stored as all floats are. */
alias Input = Slice;

fn given(slice: Input) -> vec4<f32> {
  return loaded(slice);
}
