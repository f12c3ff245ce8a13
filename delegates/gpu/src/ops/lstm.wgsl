/* One cell. Gates of a row: input, cell, forget, output, each of all cells. */
@group(0) @binding(0) var<storage, read_write> to: array<f32>;
@group(0) @binding(1) var<storage, read_write> state: array<f32>;
@group(0) @binding(2) var<storage, read> gates: array<f32>;
@group(0) @binding(3) var<storage, read> before: array<f32>;

struct Numbers {
  count: i32,
  cells: i32,
  pitch: i32,
  gates_pitch: i32,
}
var<immediate> n: Numbers;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = i32(id.x);
  if i >= n.count {
    return;
  }
  let row = i / n.cells;
  let at = row * n.pitch + i % n.cells;
  let gate = row * n.gates_pitch + i % n.cells;
  let open = 1.0 / (1.0 + exp(-vec3<f32>(gates[gate], gates[gate + 2 * n.cells], gates[gate + 3 * n.cells])));
  let c = open.x * hyperbolic(vec4<f32>(gates[gate + n.cells])).x + open.y * before[at];
  state[at] = c;
  to[at] = open.z * hyperbolic(vec4<f32>(c)).x;
}
