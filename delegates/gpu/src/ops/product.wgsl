/* Four rows of a product and one slice of its columns. `starts` has the first slices of both matrices and the result
   per product. Strides count slices; rows of the second matrix are channels of the first. */

fn store(sum: vec4<f32>, start: i32, row: i32, s: i32) {
  if row < n.rows {
    let at = start + row * n.to_row + s;
    to[at] = stored(filled(epilogue(sum, at, s), n.columns - 4 * s));
  }
}

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let s = i32(id.x);
  let row = i32(id.y) * 4;
  if s >= n.slices || row >= n.rows || i32(id.z) >= n.products {
    return;
  }
  let product = 3 * i32(id.z);
  /* Rows beyond the last one repeat it. */
  let rows = min(vec4<i32>(row) + vec4<i32>(0, 1, 2, 3), vec4<i32>(n.rows - 1));
  let x = vec4<i32>(starts[product]) + rows * n.a_row;
  var w = starts[product + 1] + s;
  var sum0 = bias[s];
  var sum1 = sum0;
  var sum2 = sum0;
  var sum3 = sum0;
  for (var k = 0; k < n.depth; k++) {
    let w0 = given(b[w]);
    let w1 = given(b[w + n.b_row]);
    let w2 = given(b[w + 2 * n.b_row]);
    let w3 = given(b[w + 3 * n.b_row]);
    w += 4 * n.b_row;
    let x0 = given(a[x.x + k]);
    let x1 = given(a[x.y + k]);
    let x2 = given(a[x.z + k]);
    let x3 = given(a[x.w + k]);
    sum0 += x0.x * w0 + x0.y * w1 + x0.z * w2 + x0.w * w3;
    sum1 += x1.x * w0 + x1.y * w1 + x1.z * w2 + x1.w * w3;
    sum2 += x2.x * w0 + x2.y * w1 + x2.z * w2 + x2.w * w3;
    sum3 += x3.x * w0 + x3.y * w1 + x3.z * w2 + x3.w * w3;
  }
  let start = starts[product + 2];
  store(sum0, start, row, s);
  store(sum1, start, row + 1, s);
  store(sum2, start, row + 2, s);
  store(sum3, start, row + 3, s);
}
