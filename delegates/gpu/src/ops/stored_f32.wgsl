/* How floats are stored: as they are computed with. Slices of four, and single ones: the word that has an element, and the element in it. */
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
