/* A box of elements, slices if both sides have whole ones. `dims` has the size and both strides of each dimension. */
// with elements.wgsl
// with copies.wgsl
override SLICES: u32;
override FILL: u32;

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
