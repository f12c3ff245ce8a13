/* The largest number. */
const LARGEST = 0x1.fffffep+127f;

/* Zeroes the lanes beyond the channels; `left` channels remain from this slice. */
fn filled(v: vec4<f32>, left: i32) -> vec4<f32> {
  return select(vec4<f32>(), v, vec4<i32>(0, 1, 2, 3) < vec4<i32>(left));
}

/* The position of an element in a tensor with padded rows. */
fn place(element: i32, channels: i32, pitch: i32) -> i32 {
  return element / channels * pitch + element % channels;
}
