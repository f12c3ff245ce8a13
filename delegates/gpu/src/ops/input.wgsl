/* Inputs and their weights, stored like all floats. */
alias Input = Slice;

fn given(slice: Input) -> vec4<f32> {
  return loaded(slice);
}
