/* What becomes of a result before it is written: functions that are known when the pipeline is made. Of each its kind, and bits of numbers;
   what `vulkan/kernels.rs` writes there. Operands are bound behind what the kernel has. */
override KIND_0: u32;
override LOW_0: u32;
override HIGH_0: u32;
override KIND_1: u32;
override LOW_1: u32;
override HIGH_1: u32;
override KIND_2: u32;
override LOW_2: u32;
override HIGH_2: u32;
override KIND_3: u32;
override LOW_3: u32;
override HIGH_3: u32;
override KIND_4: u32;
override LOW_4: u32;
override HIGH_4: u32;
override KIND_5: u32;
override LOW_5: u32;
override HIGH_5: u32;
override KIND_6: u32;
override LOW_6: u32;
override HIGH_6: u32;
override KIND_7: u32;
override LOW_7: u32;
override HIGH_7: u32;

@group(1) @binding(0) var<storage, read> operand0: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> operand1: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> operand2: array<vec4<f32>>;

fn operand(number: u32, index: i32) -> vec4<f32> {
  switch number {
    case 0u: { return operand0[index]; }
    case 1u: { return operand1[index]; }
    default: { return operand2[index]; }
  }
}

fn function(v: vec4<f32>, at: i32, s: i32, kind: u32, low: u32, high: u32) -> vec4<f32> {
  let which = kind >> 8u & 0xffu;
  switch kind & 0xffu {
    case 0u: { return v; }
    case 1u: { return at_most(at_least(v, bitcast<f32>(low)), bitcast<f32>(high)); }
    case 2u: { return unary(which, v); }
    case 3u: { return binary(which, v, vec4<f32>(bitcast<f32>(low))); }
    case 4u: { return binary(which, v, operand(kind >> 16u, at)); }
    default: { return binary(which, v, operand(kind >> 16u, s)); }
  }
}

/* Of slice `at` of the result, slice `s` of its row. */
fn epilogue(result: vec4<f32>, at: i32, s: i32) -> vec4<f32> {
  var v = function(result, at, s, KIND_0, LOW_0, HIGH_0);
  v = function(v, at, s, KIND_1, LOW_1, HIGH_1);
  v = function(v, at, s, KIND_2, LOW_2, HIGH_2);
  v = function(v, at, s, KIND_3, LOW_3, HIGH_3);
  v = function(v, at, s, KIND_4, LOW_4, HIGH_4);
  v = function(v, at, s, KIND_5, LOW_5, HIGH_5);
  v = function(v, at, s, KIND_6, LOW_6, HIGH_6);
  return function(v, at, s, KIND_7, LOW_7, HIGH_7);
}
