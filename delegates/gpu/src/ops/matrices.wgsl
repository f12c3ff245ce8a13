/* Buffers of products of matrices whose rows are whole slices. Of each product: where both matrices and the result begin. All strides count
   slices; rows of the second matrix are channels of the first. */
@group(0) @binding(0) var<storage, read_write> to: array<Slice>;
@group(0) @binding(1) var<storage, read> a: array<Input>;
@group(0) @binding(2) var<storage, read> b: array<Input>;
@group(0) @binding(3) var<storage, read> starts: array<i32>;
@group(0) @binding(4) var<storage, read> bias: array<vec4<f32>>;
