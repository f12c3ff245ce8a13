/* One slice of a tile of 6 x 6 pixels, zeros outside of the image: Bt d B, each of its 36 elements to a matrix of
   [tile][slice]. Its results have 32 bits. */

alias Line = array<vec4<f32>, 6>;

fn transform(d: Line) -> Line {
  let a = d[4] - 4.0 * d[2];
  let b = d[3] - 4.0 * d[1];
  let c = d[4] - d[2];
  let e = 2.0 * (d[3] - d[1]);
  let first = 4.0 * d[0] - 5.0 * d[2] + d[4];
  let last = 4.0 * d[1] - 5.0 * d[3] + d[5];
  return Line(first, a + b, a - b, c + e, c - e, last);
}

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let s = i32(id.x);
  let tile = i32(id.y);
  if s >= n.slices || tile >= n.tiles {
    return;
  }
  let line = tile / n.tile_columns;
  let image = line / n.tile_rows;
  let top = line % n.tile_rows * 4 - n.rows_before;
  let left = tile % n.tile_columns * 4 - n.columns_before;
  var columns: array<Line, 6>;
  for (var x = 0; x < 6; x++) {
    var column: Line;
    for (var y = 0; y < 6; y++) {
      let row = top + y;
      let at = left + x;
      if row >= 0 && row < n.in_rows && at >= 0 && at < n.in_columns {
        column[y] = given(source[((image * n.in_rows + row) * n.in_columns + at) * n.slices + s]);
      }
    }
    columns[x] = transform(column);
  }
  for (var y = 0; y < 6; y++) {
    var row: Line;
    for (var x = 0; x < 6; x++) {
      row[x] = columns[x][y];
    }
    row = transform(row);
    for (var x = 0; x < 6; x++) {
      to[((6 * y + x) * n.tiles + tile) * n.slices + s] = row[x];
    }
  }
}
