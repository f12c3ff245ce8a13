/* Buffers of kernels that write single elements, and how they do. What moves is bits. */
@group(0) @binding(0) var<storage, read_write> to: array<f32>;
@group(0) @binding(1) var<storage, read> source: array<f32>;

fn put(element: i32, v: f32) {
  to[element] = v;
}

fn put_slice(slice: i32, v: vec4<f32>) {
  for (var i = 0; i < 4; i++) {
    to[4 * slice + i] = v[i];
  }
}

fn copy(element: i32, from_element: i32) {
  to[element] = source[from_element];
}

fn copy_slice(slice: i32, from_slice: i32) {
  for (var i = 0; i < 4; i++) {
    to[4 * slice + i] = source[4 * from_slice + i];
  }
}
