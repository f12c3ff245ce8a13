/* The epilogue: a few functions that are fixed when the pipeline is created. Each has a kind and the bits of numbers,
   from `vulkan/kernels.rs`. `epilogue(v, at, s)` calls `function` for each; `build/spirv.rs` writes it. */
@group(1) @binding(0) var<storage, read> operand0: array<Slice>;
@group(1) @binding(1) var<storage, read> operand1: array<Slice>;
@group(1) @binding(2) var<storage, read> operand2: array<Slice>;

fn operand(number: u32, index: i32) -> vec4<f32> {
  switch number {
    case 0u: { return loaded(operand0[index]); }
    case 1u: { return loaded(operand1[index]); }
    default: { return loaded(operand2[index]); }
  }
}

/* Slice `at` of the result, slice `s` of its row. */
fn function(v: vec4<f32>, at: i32, s: i32, kind: u32, low: u32, high: u32) -> vec4<f32> {
  var o = vec4<f32>(bitcast<f32>(low));
  switch kind & 0xffu {
    case 0u: { return v; }
    case 1u: { return at_most(at_least(v, o.x), bitcast<f32>(high)); }
    case 2u: { return unary(kind >> 8u, v); }
    case 3u: { }
    case 4u: { o = operand(kind >> 16u, at); }
    default: { o = operand(kind >> 16u, s); }
  }
  return binary(kind >> 8u & 0xffu, v, o);
}
