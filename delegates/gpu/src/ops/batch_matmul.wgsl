/* Four rows of a product and one slice of its columns. `starts` has the first elements of both matrices and the result
   per product. Matrices have any strides; the second one is read by slices if its rows consist of whole slices. */
// with elements.wgsl
override SLICES: u32;
override SCATTERED: u32;

/* Row `k` of the second matrix, at these columns. */
fn weights(first: i32, k: i32, s: i32, columns: vec4<i32>) -> vec4<f32> {
  let row = first + k * n.b_row;
  let at = vec4<i32>(row) + select(columns, vec4<i32>(0, 1, 2, 3) + 4 * s, vec4<bool>(SLICES != 0u));
  return vec4<f32>(
    part(b[word(at.x)], at.x),
    part(b[word(at.y)], at.y),
    part(b[word(at.z)], at.z),
    part(b[word(at.w)], at.w),
  );
}

/* With scattered results, the epilogue reads no operands, because their layout differs. */
fn store(sum: vec4<f32>, start: i32, r: i32, s: i32) {
  if r >= n.rows {
    return;
  }
  let first = start + r * n.to_row;
  let at = first / 4 + s;
  let v = filled(epilogue(sum, at, s), n.columns - 4 * s);
  if SCATTERED == 0u {
    put_slice(at, v);
  } else {
    for (var i = 0; i < min(n.columns - 4 * s, 4); i++) {
      put(place(first + 4 * s + i, n.to_channels, n.to_pitch), v[i]);
    }
  }
}

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let s = i32(id.x);
  let row = i32(id.y) * 4;
  let product = i32(id.z);
  if s >= n.slices || row >= n.rows || product >= n.products {
    return;
  }
  let lanes = vec4<i32>(0, 1, 2, 3);
  let a_first = starts[3 * product];
  let b_first = starts[3 * product + 1];
  let to_first = starts[3 * product + 2];
  let r = vec4<i32>(a_first) + min(vec4<i32>(row) + lanes, vec4<i32>(n.rows - 1)) * n.a_row;
  let c = min(vec4<i32>(4 * s) + lanes, vec4<i32>(n.columns - 1)) * n.b_column;
  var sum0 = bias[s];
  var sum1 = sum0;
  var sum2 = sum0;
  var sum3 = sum0;
  for (var k = 0; k < n.depth; k++) {
    let w = weights(b_first, k, s, c);
    let x = r + vec4<i32>(k * n.a_column);
    sum0 += part(a[word(x.x)], x.x) * w;
    sum1 += part(a[word(x.y)], x.y) * w;
    sum2 += part(a[word(x.z)], x.z) * w;
    sum3 += part(a[word(x.w)], x.w) * w;
  }
  store(sum0, to_first, row, s);
  store(sum1, to_first, row + 1, s);
  store(sum2, to_first, row + 2, s);
  store(sum3, to_first, row + 3, s);
}
