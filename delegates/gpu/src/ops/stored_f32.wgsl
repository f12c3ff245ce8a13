/* Floats in 32 bits: slices of four, and single elements by the word that contains them. */
alias Slice = vec4<f32>;
alias Word = f32;

fn loaded(slice: Slice) -> vec4<f32> {
  return slice;
}

fn stored(v: vec4<f32>) -> Slice {
  return v;
}

fn word(element: i32) -> i32 {
  return element;
}

fn part(word: Word, element: i32) -> f32 {
  return word;
}
