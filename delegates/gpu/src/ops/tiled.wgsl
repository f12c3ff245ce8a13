/* Products of matrices by tiles in local memory: a work-group makes 32 rows of 8 slices. `starts` has the first slices
   of both matrices and the result per product. Strides count slices; rows of the second matrix are channels of the
   first.

     8 slices of depth ─►        8 slices ─►
     ┌────────────┐ 32 rows      ┌────────────┐ 32 channels
     │ left       │              │ right      │                */

const SIDE = 8;
const ROWS = 32;

/* Row by row, eight slices each. */
var<workgroup> left: array<vec4<f32>, 256>;
var<workgroup> right: array<vec4<f32>, 256>;

fn store(sum: vec4<f32>, start: i32, row: i32, s: i32) {
  if row < n.rows && s < n.slices {
    let at = start + row * n.to_row + s;
    to[at] = stored(filled(epilogue(sum, at, s), n.columns - 4 * s));
  }
}

@compute @workgroup_size(1)
fn main(
  @builtin(global_invocation_id) id: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let s = i32(id.x);
  let x = i32(local.x);
  let y = i32(local.y);
  let first = i32(group.y) * ROWS;
  let product = 3 * i32(id.z);
  var sum0 = vec4<f32>();
  if s < n.slices {
    sum0 = bias[s];
  }
  var sum1 = sum0;
  var sum2 = sum0;
  var sum3 = sum0;
  /* All work-items stay until the end, because all must reach the barriers. */
  for (var k = 0; k < n.depth; k += SIDE) {
    for (var i = y; i < ROWS; i += SIDE) {
      var pixel = vec4<f32>();
      if first + i < n.rows && k + x < n.depth {
        pixel = given(a[starts[product] + (first + i) * n.a_row + k + x]);
      }
      left[i * SIDE + x] = pixel;
      var weights = vec4<f32>();
      if 4 * k + i < 4 * n.depth && s < n.slices {
        weights = given(b[starts[product + 1] + (4 * k + i) * n.b_row + s]);
      }
      right[i * SIDE + x] = weights;
    }
    workgroupBarrier();
    for (var i = 0; i < min(SIDE, n.depth - k); i++) {
      let w = mat4x4<f32>(
        right[4 * i * SIDE + x],
        right[(4 * i + 1) * SIDE + x],
        right[(4 * i + 2) * SIDE + x],
        right[(4 * i + 3) * SIDE + x],
      );
      sum0 += w * left[4 * y * SIDE + i];
      sum1 += w * left[(4 * y + 1) * SIDE + i];
      sum2 += w * left[(4 * y + 2) * SIDE + i];
      sum3 += w * left[(4 * y + 3) * SIDE + i];
    }
    workgroupBarrier();
  }
  store(sum0, starts[product + 2], first + 4 * y, s);
  store(sum1, starts[product + 2], first + 4 * y + 1, s);
  store(sum2, starts[product + 2], first + 4 * y + 2, s);
  store(sum3, starts[product + 2], first + 4 * y + 3, s);
}
