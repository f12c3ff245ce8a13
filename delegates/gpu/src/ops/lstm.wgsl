/* A slice of the cells of a row; surplus invocations return. Gates of a row: input, cell, forget, output, each for all
   cells. */

/* Four cells of a gate; cells beyond the row repeat its last one. */
fn gate(first: i32, s: i32) -> vec4<f32> {
  let at = vec4<i32>(first) + min(vec4<i32>(4 * s) + vec4<i32>(0, 1, 2, 3), vec4<i32>(n.cells - 1));
  return vec4<f32>(
    part(gates[word(at.x)], at.x),
    part(gates[word(at.y)], at.y),
    part(gates[word(at.z)], at.z),
    part(gates[word(at.w)], at.w),
  );
}

fn open(first: i32, s: i32) -> vec4<f32> {
  return 1.0 / (1.0 + exp(-gate(first, s)));
}

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let slices = n.pitch / 4;
  let row = i32(id.x) / slices;
  if row >= n.count / n.cells {
    return;
  }
  let s = i32(id.x) % slices;
  let at = row * slices + s;
  let first = row * n.gates_pitch;
  let kept = open(first + 2 * n.cells, s) * loaded(before[at]);
  let c = open(first, s) * hyperbolic(gate(first + n.cells, s)) + kept;
  let left = n.cells - 4 * s;
  state[at] = stored(filled(c, left));
  to[at] = stored(filled(open(first + 3 * n.cells, s) * hyperbolic(c), left));
}
