/* A box of elements, slices where both sides have whole ones. Of each dimension: size, and elements from one index to the next. */
override SLICES: u32;
override FILL: u32;

@group(0) @binding(0) var<storage, read_write> to: array<f32>;
@group(0) @binding(1) var<storage, read> source: array<f32>;
@group(0) @binding(2) var<storage, read> dims: array<i32>;

struct Numbers {
  rank: i32,
  count: i32,
  from_first: i32,
  to_first: i32,
  from_channels: i32,
  from_pitch: i32,
  to_channels: i32,
  to_pitch: i32,
  fill_bits: i32,
}
var<immediate> n: Numbers;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var i = i32(id.x);
  if i >= n.count {
    return;
  }
  var element = n.from_first;
  var target_element = n.to_first;
  for (var d = n.rank - 1; d >= 0; d--) {
    let index = i % dims[3 * d];
    i /= dims[3 * d];
    element += index * dims[3 * d + 1];
    target_element += index * dims[3 * d + 2];
  }
  let width = select(1, 4, SLICES != 0u);
  let first = place(target_element, n.to_channels, n.to_pitch) * width;
  let from_first = place(element, n.from_channels, n.from_pitch) * width;
  for (var k = 0; k < width; k++) {
    if FILL == 0u {
      to[first + k] = source[from_first + k];
    } else {
      to[first + k] = bitcast<f32>(n.fill_bits);
    }
  }
}
