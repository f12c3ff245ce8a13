/* A box of elements, slices where both sides have whole ones. Of each dimension: size, and elements from one index to the next. */
// with elements.wgsl
override SLICES: u32;
override FILL: u32;

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
  let at = place(target_element, n.to_channels, n.to_pitch);
  let from_at = place(element, n.from_channels, n.from_pitch);
  let fill = bitcast<f32>(n.fill_bits);
  if SLICES == 0u {
    if FILL == 0u {
      copy(at, from_at);
    } else {
      put(at, fill);
    }
  } else if FILL == 0u {
    copy_slice(at, from_at);
  } else {
    put_slice(at, vec4<f32>(fill));
  }
}
