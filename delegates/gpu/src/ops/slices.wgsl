/* Buffers of kernels that read and write whole slices. */
@group(0) @binding(0) var<storage, read_write> to: array<Slice>;
@group(0) @binding(1) var<storage, read> source: array<Input>;
@group(0) @binding(2) var<storage, read> weights: array<Input>;
@group(0) @binding(3) var<storage, read> bias: array<vec4<f32>>;
