/* Normalizes one row to mean 0 and variance 1, times gamma, plus beta, four channels at a time. */

fn total(v: vec4<f32>) -> f32 {
  return v.x + v.y + v.z + v.w;
}

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let row = i32(id.x);
  if row >= n.rows {
    return;
  }
  let first = row * n.slices;
  var sums = vec4<f32>();
  for (var s = 0; s < n.slices; s++) {
    sums += loaded(source[first + s]);
  }
  let mean = total(sums) / f32(n.channels);
  var squares = vec4<f32>();
  for (var s = 0; s < n.slices; s++) {
    let x = filled(loaded(source[first + s]) - mean, n.channels - 4 * s);
    squares += x * x;
  }
  let scale = 1.0 / sqrt(total(squares) / f32(n.channels) + bitcast<f32>(n.epsilon_bits));
  for (var s = 0; s < n.slices; s++) {
    let v = (loaded(source[first + s]) - mean) * scale * loaded(gamma[s]) + loaded(beta[s]);
    to[first + s] = stored(filled(v, n.channels - 4 * s));
  }
}
