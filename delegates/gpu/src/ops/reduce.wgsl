/* One element of the result. `dims` has the sizes and strides of kept and of folded dimensions. */
// with elements.wgsl
override FOLD: u32;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = i32(id.x);
  if i >= n.results {
    return;
  }
  var at = 0;
  var rest = i;
  for (var d = n.kept - 1; d >= 0; d--) {
    at += rest % dims[2 * d] * dims[2 * d + 1];
    rest /= dims[2 * d];
  }
  var v = 0.0;
  if FOLD != 0u {
    /* Starts with the first element, or the largest number if the list is empty. NaN is lost unless it is last. */
    v = select(-LARGEST, LARGEST, FOLD == 2u);
    if n.lines * n.size > 0 {
      v = part(source[word(at)], at);
    }
  }
  /* The innermost folded dimension has a constant step. */
  let inner = n.kept + n.folded - 1;
  var step = 0;
  if n.folded > 0 {
    step = dims[2 * inner + 1];
  }
  for (var line = 0; line < n.lines; line++) {
    var p = at;
    rest = line;
    for (var d = inner - 1; d >= n.kept; d--) {
      p += rest % dims[2 * d] * dims[2 * d + 1];
      rest /= dims[2 * d];
    }
    for (var k = 0; k < n.size; k++) {
      let element = p + k * step;
      let x = part(source[word(element)], element);
      switch FOLD {
        case 0u: { v += x; }
        case 1u: { v = select(x, v, v > x); }
        default: { v = select(x, v, v < x); }
      }
    }
  }
  put(place(i, n.channels, n.pitch), v / bitcast<f32>(n.divisor_bits));
}
