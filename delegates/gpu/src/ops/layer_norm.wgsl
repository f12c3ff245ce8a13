/* One row to mean 0 and variance 1, times gamma, plus beta. */
@group(0) @binding(0) var<storage, read_write> to: array<f32>;
@group(0) @binding(1) var<storage, read> source: array<f32>;
@group(0) @binding(2) var<storage, read> gamma: array<f32>;
@group(0) @binding(3) var<storage, read> beta: array<f32>;

struct Numbers {
  rows: i32,
  slices: i32,
  channels: i32,
  epsilon_bits: i32,
}
var<immediate> n: Numbers;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let row = i32(id.x);
  if row >= n.rows {
    return;
  }
  let first = row * n.slices * 4;
  var mean = 0.0;
  for (var c = 0; c < n.channels; c++) {
    mean += source[first + c];
  }
  mean /= f32(n.channels);
  var variance = 0.0;
  for (var c = 0; c < n.channels; c++) {
    let x = source[first + c] - mean;
    variance += x * x;
  }
  let scale = 1.0 / sqrt(variance / f32(n.channels) + bitcast<f32>(n.epsilon_bits));
  for (var c = 0; c < n.channels; c++) {
    to[first + c] = (source[first + c] - mean) * scale * gamma[c] + beta[c];
  }
  for (var c = n.channels; c < n.slices * 4; c++) {
    to[first + c] = 0.0;
  }
}
