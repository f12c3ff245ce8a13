/* One row. */
override LOGARITHM: u32;

@group(0) @binding(0) var<storage, read_write> to: array<f32>;
@group(0) @binding(1) var<storage, read> source: array<f32>;

struct Numbers {
  rows: i32,
  slices: i32,
  channels: i32,
  beta_bits: i32,
}
var<immediate> n: Numbers;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let row = i32(id.x);
  if row >= n.rows {
    return;
  }
  let first = row * n.slices * 4;
  let end = first + n.channels;
  let beta = bitcast<f32>(n.beta_bits);
  var largest = source[first];
  for (var i = first + 1; i < end; i++) {
    largest = max(largest, source[i]);
  }
  var sum = 0.0;
  for (var i = first; i < end; i++) {
    let e = exp((source[i] - largest) * beta);
    to[i] = e;
    sum += e;
  }
  let offset = largest + log(sum);
  for (var i = first; i < end; i++) {
    if LOGARITHM == 0u {
      to[i] /= sum;
    } else {
      to[i] = source[i] - offset;
    }
  }
  for (var i = end; i < first + n.slices * 4; i++) {
    to[i] = 0.0;
  }
}
