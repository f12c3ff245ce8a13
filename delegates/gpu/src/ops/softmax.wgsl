/* One row, four channels at a time. */
override LOGARITHM: u32;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let row = i32(id.x);
  if row >= n.rows {
    return;
  }
  let first = row * n.slices;
  let beta = bitcast<f32>(n.beta_bits);
  var most = vec4<f32>(-LARGEST);
  for (var s = 0; s < n.slices; s++) {
    let there = vec4<i32>(0, 1, 2, 3) < vec4<i32>(n.channels - 4 * s);
    most = max(most, select(vec4<f32>(-LARGEST), loaded(source[first + s]), there));
  }
  let largest = max(max(most.x, most.y), max(most.z, most.w));
  var sums = vec4<f32>();
  for (var s = 0; s < n.slices; s++) {
    sums += filled(exp((loaded(source[first + s]) - largest) * beta), n.channels - 4 * s);
  }
  let sum = sums.x + sums.y + sums.z + sums.w;
  let offset = largest + log(sum);
  for (var s = 0; s < n.slices; s++) {
    let x = loaded(source[first + s]);
    let v = select(exp((x - largest) * beta) / sum, x - offset, vec4<bool>(LOGARITHM != 0u));
    to[first + s] = stored(filled(v, n.channels - 4 * s));
  }
}
