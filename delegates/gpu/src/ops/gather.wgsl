/* One element of the result, or one slice of it where rows have whole ones. */
// with elements.wgsl
// with copies.wgsl
override SLICES: u32;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = i32(id.x);
  if i >= n.count {
    return;
  }
  let row = i / n.inner;
  let block = row / n.coords;
  let index = indices[block / n.outer * n.coords + row % n.coords];
  let element = (block * n.axis + index) * n.inner + i % n.inner;
  let at = place(i, n.to_channels, n.to_pitch);
  let from_at = place(element, n.from_channels, n.from_pitch);
  if SLICES != 0u {
    copy_slice(at, from_at);
  } else {
    copy(at, from_at);
  }
}
