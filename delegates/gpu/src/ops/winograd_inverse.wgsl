/* One slice of a tile of 4 x 4 pixels, from the 36 elements of its products: At p A. Its inputs have 32 bits. */

fn inverse(p: array<vec4<f32>, 6>) -> array<vec4<f32>, 4> {
  let a = p[1] + p[2];
  let b = p[1] - p[2];
  let c = p[3] + p[4];
  let d = p[3] - p[4];
  return array<vec4<f32>, 4>(p[0] + a + c, b + 2.0 * d, a + 4.0 * c, b + 8.0 * d + p[5]);
}

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let s = i32(id.x);
  let tile = i32(id.y);
  if s >= n.slices || tile >= n.tiles {
    return;
  }
  let line = tile / n.tile_columns;
  let top = line % n.tile_rows * 4;
  let left = tile % n.tile_columns * 4;
  var columns: array<array<vec4<f32>, 4>, 6>;
  for (var x = 0; x < 6; x++) {
    var column: array<vec4<f32>, 6>;
    for (var y = 0; y < 6; y++) {
      column[y] = products[((6 * y + x) * n.tiles + tile) * n.slices + s];
    }
    columns[x] = inverse(column);
  }
  let first = (line / n.tile_rows * n.out_rows + top) * n.out_columns + left;
  for (var y = 0; y < 4; y++) {
    var row: array<vec4<f32>, 6>;
    for (var x = 0; x < 6; x++) {
      row[x] = columns[x][y];
    }
    var pixels = inverse(row);
    for (var x = 0; x < 4; x++) {
      if top + y < n.out_rows && left + x < n.out_columns {
        let at = (first + y * n.out_columns + x) * n.slices + s;
        to[at] = stored(filled(epilogue(pixels[x] + bias[s], at, s), n.channels - 4 * s));
      }
    }
  }
}
