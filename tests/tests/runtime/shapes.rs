//! Resized inputs, data-dependent shapes, and constants that are computed once.

use arenite::model_file::{
    tensor_type::INT32,
    writer::{Tensor, bytes_of},
};
use arenite::{Interpreter, Model, NodeProvider, Quota};

use crate::models::{allocated, dynamic_chain, f32s, list, message, model, negation, node, output};

#[test]
fn a_resize_reaches_the_output() {
    let mut interpreter = allocated(&negation(&[1, 2]));
    for shape in [[3, 2], [1, 1], [0, 2], [1, 2], [40, 50]] {
        interpreter.resize_input(0, &shape).unwrap();
        interpreter.allocate().unwrap();
        let x: Vec<f32> = (0..shape[0] * shape[1]).map(|i| i as f32).collect();
        interpreter.input_mut(0).unwrap().copy_from_slice(&x).unwrap();
        interpreter.invoke().unwrap();
        let (found, y) = output(&interpreter, 0);
        assert_eq!(found, shape);
        assert!(y.len() == x.len() && y.iter().zip(&x).all(|(y, x)| *y == -x));
    }
}

#[test]
fn impossible_shapes_are_refused_and_the_old_one_stays() {
    let mut interpreter = allocated(&negation(&[1, 2]));
    for shape in [&[-1, 2][..], &[1; 9], &[i32::MAX, i32::MAX, i32::MAX]] {
        assert!(message(interpreter.resize_input(0, shape)).starts_with("tensor 'x': "), "{shape:?}");
    }
    interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, 2.0]).unwrap();
    interpreter.invoke().unwrap();
    assert_eq!(output(&interpreter, 0), (vec![1, 2], vec![-1.0, -2.0]));
}

#[test]
fn a_shape_that_an_op_refuses_names_the_node() {
    let model = model(|m, g| {
        let (a, b) = (g.input(f32s("a", &[2])), g.input(f32s("b", &[2])));
        let y = g.output(f32s("y", &[2]));
        node(m, g, "ADD", &[a, b], y);
    });
    let mut interpreter = allocated(&model);
    interpreter.resize_input(0, &[3]).unwrap();
    let text = message(interpreter.allocate());
    assert!(text.starts_with("ADD (node 0, output 'y'): ") && text.contains('3'), "{text}");
    assert!(message(interpreter.invoke()).contains("call allocate()"));
    interpreter.resize_input(1, &[3]).unwrap();
    interpreter.allocate().unwrap();
    interpreter.invoke().unwrap();
}

fn run_chain(interpreter: &mut Interpreter, x: &[f32], shape: &[i32], row: &[f32]) -> arenite::Result<()> {
    interpreter.input_mut(0)?.copy_from_slice(x)?;
    interpreter.input_mut(1)?.copy_from_slice(shape)?;
    interpreter.input_mut(2)?.copy_from_slice(row)?;
    interpreter.invoke()
}

const X: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];

#[test]
fn dynamic_shapes_in_turn() {
    let mut interpreter = allocated(&dynamic_chain(2, &[1]));
    for _ in 0..3 {
        for shape in [[2, 3], [6, 1], [3, 2], [3, 2]] {
            run_chain(&mut interpreter, &X, &shape, &[10.0]).unwrap();
            assert_eq!(output(&interpreter, 0), (shape.to_vec(), X.map(|x| -(x + 10.0)).to_vec()));
        }
    }
}

/// Preparing the second segment fails for one shape. Later invocations must not use its leftovers.
#[test]
fn a_wrong_dynamic_shape_is_an_error_and_the_next_one_runs() {
    let mut interpreter = allocated(&dynamic_chain(2, &[3]));
    let row = [10.0, 20.0, 30.0];
    for _ in 0..2 {
        for _ in 0..2 {
            let text = message(run_chain(&mut interpreter, &X, &[3, 2], &row));
            assert!(text.starts_with("ADD (node 1, output 's'): "), "{text}");
        }
        run_chain(&mut interpreter, &X, &[2, 3], &row).unwrap();
        assert_eq!(output(&interpreter, 0), (vec![2, 3], vec![-11.0, -22.0, -33.0, -14.0, -25.0, -36.0]));
    }
}

/// As above, with nodes between the dynamic node and the one that refuses: these were prepared for the refused shape.
#[test]
fn nodes_before_a_refusal_are_prepared_again() {
    let model = model(|m, g| {
        let x = g.input(f32s("x", &[6]));
        let shape = g.input(Tensor::new("shape", INT32, &[2]));
        let row = g.input(f32s("row", &[3]));
        let [r, n, s] = ["r", "n", "s"].map(|name| g.tensor(f32s(name, &[1, 1])));
        let y = g.output(f32s("y", &[1, 1]));
        node(m, g, "RESHAPE", &[x, shape], r);
        node(m, g, "NEG", &[r], n);
        node(m, g, "ADD", &[n, row], s);
        node(m, g, "NEG", &[s], y);
    });
    let mut interpreter = allocated(&model);
    let row = [10.0, 20.0, 30.0];
    for _ in 0..2 {
        let text = message(run_chain(&mut interpreter, &X, &[3, 2], &row));
        assert!(text.starts_with("ADD (node 2, output 's'): "), "{text}");
        run_chain(&mut interpreter, &X, &[2, 3], &row).unwrap();
        assert_eq!(output(&interpreter, 0), (vec![2, 3], vec![-9.0, -18.0, -27.0, -6.0, -15.0, -24.0]));
    }
}

/// The plan of the second segment exceeds the quota, in the first invocation and in the next.
#[test]
fn a_dynamic_shape_beyond_the_quota_is_refused_each_time() {
    let model = model(|m, g| {
        let x = g.input(f32s("x", &[64]));
        let shape = g.input(Tensor::new("shape", INT32, &[2]));
        let row = g.input(f32s("row", &[1, 8192]));
        let (r, y) = (g.tensor(f32s("r", &[1, 1])), g.output(f32s("y", &[1, 1])));
        node(m, g, "RESHAPE", &[x, shape], r);
        node(m, g, "ADD", &[r, row], y);
    });
    let quota = Quota { bytes: (2 << 20) + 1024, ..Quota::default() };
    let mut interpreter = Interpreter::builder(&model).quota(quota).build().unwrap();
    interpreter.allocate().unwrap();
    let (x, row) = ([1.0; 64], [2.0; 8192]);
    for _ in 0..2 {
        for _ in 0..2 {
            let text = message(run_chain(&mut interpreter, &x, &[64, 1], &row));
            assert!(
                text.starts_with("the arena needs ") && text.contains("bytes, the quota is 2098176"),
                "{text}"
            );
        }
        let refused = message(run_chain(&mut interpreter, &x, &[1, 64], &row));
        assert!(refused.starts_with("ADD (node 1"), "{refused}");
    }
}

#[test]
fn constants_are_computed_once() {
    let model = model(|m, g| {
        let x = g.input(f32s("x", &[2, 3]));
        let flat = list(m, g, "flat", &[6]);
        let weights = m.buffer(bytes_of(&X));
        let w = g.tensor(f32s("w", &[2, 3]).buffer(weights));
        let (n, r, s) = (g.tensor(f32s("n", &[2, 3])), g.tensor(f32s("r", &[6])), g.tensor(f32s("s", &[6])));
        let y = g.output(f32s("y", &[6]));
        node(m, g, "NEG", &[w], n);
        node(m, g, "RESHAPE", &[n, flat], r);
        node(m, g, "RESHAPE", &[x, flat], s);
        node(m, g, "ADD", &[s, r], y);
    });
    let mut interpreter = allocated(&model);
    let folded: Vec<bool> =
        interpreter.served_by().iter().map(|served| matches!(served, NodeProvider::Folded(_))).collect();
    assert_eq!(folded, [true, true, false, false]);
    for scale in [1.0, 10.0] {
        interpreter.input_mut(0).unwrap().copy_from_slice(&X.map(|x| scale * x)).unwrap();
        interpreter.invoke().unwrap();
        assert_eq!(output(&interpreter, 0).1, X.map(|x| scale * x - x));
    }
}

/// `k` is computed before the first dynamic shape is known and read after it; a second dynamic shape follows.
///
/// ```text
/// x ─► NEG ─► k ────────────────────────► NEG ─► y
/// x ─► RESHAPE* ─► r ─► NEG ─► a ─► RESHAPE* ─► s ─► NEG ─► z
/// ```
#[test]
fn a_value_freed_by_a_later_segment_is_kept_for_an_earlier_one() {
    let model = model(|m, g| {
        let x = g.input(f32s("x", &[6]));
        let [first, second] = ["first", "second"].map(|name| g.input(Tensor::new(name, INT32, &[2])));
        let [r, a, s] = ["r", "a", "s"].map(|name| g.tensor(f32s(name, &[1, 1])));
        let k = g.tensor(f32s("k", &[6]));
        let (y, z) = (g.output(f32s("y", &[6])), g.output(f32s("z", &[1, 1])));
        node(m, g, "NEG", &[x], k);
        node(m, g, "RESHAPE", &[x, first], r);
        node(m, g, "NEG", &[r], a);
        node(m, g, "NEG", &[k], y);
        node(m, g, "RESHAPE", &[a, second], s);
        node(m, g, "NEG", &[s], z);
    });
    let mut interpreter = allocated(&model);
    for shape in [[6, 1], [2, 3], [3, 2], [2, 3]] {
        interpreter.input_mut(0).unwrap().copy_from_slice(&X).unwrap();
        interpreter.input_mut(1).unwrap().copy_from_slice(&shape).unwrap();
        interpreter.input_mut(2).unwrap().copy_from_slice(&[1, 6]).unwrap();
        interpreter.invoke().unwrap();
        assert_eq!(output(&interpreter, 0).1, X, "{shape:?}");
        assert_eq!(output(&interpreter, 1), (vec![1, 6], X.to_vec()), "{shape:?}");
    }
}

/// `y` is `list` with row `i` replaced, as converters write it: the rows above, the new one, the rows below.
fn row_update(next: i32) -> Model {
    model(|m, g| {
        let x = g.input(f32s("list", &[4, 2]));
        let i = g.input(Tensor::new("i", INT32, &[]));
        let new = g.input(f32s("new", &[2]));
        let buffer = m.buffer(bytes_of(&[next]));
        let step = g.tensor(Tensor::new("step", INT32, &[]).buffer(buffer));
        let scalar = list(m, g, "scalar", &[1]);
        let (all, zero) = (list(m, g, "all", &[-1]), list(m, g, "zero", &[0]));
        let (begin, rest, line) =
            (list(m, g, "begin", &[0, 0]), list(m, g, "rest", &[-1, -1]), list(m, g, "line", &[1, 2]));
        let [j, i1, j1] = [("j", &[][..]), ("i1", &[1]), ("j1", &[1])]
            .map(|(name, shape)| g.tensor(Tensor::new(name, INT32, shape)));
        let [size, from] = ["size", "from"].map(|name| g.tensor(Tensor::new(name, INT32, &[2])));
        let [above, row, below] = ["above", "row", "below"].map(|name| g.tensor(f32s(name, &[1, 2])));
        let y = g.output(f32s("y", &[4, 2]));
        node(m, g, "ADD", &[i, step], j);
        node(m, g, "RESHAPE", &[i, scalar], i1);
        node(m, g, "CONCATENATION", &[i1, all], size);
        node(m, g, "SLICE", &[x, begin, size], above);
        node(m, g, "RESHAPE", &[j, scalar], j1);
        node(m, g, "CONCATENATION", &[j1, zero], from);
        node(m, g, "SLICE", &[x, from, rest], below);
        node(m, g, "RESHAPE", &[new, line], row);
        node(m, g, "CONCATENATION", &[above, row, below], y);
    })
}

#[test]
fn a_row_update_needs_no_dynamic_shapes() {
    let mut interpreter = allocated(&row_update(1));
    assert_eq!([3, 6, 8].map(|operator| interpreter.nodes_of(operator).len()), [0, 0, 1]);
    let x = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    for i in 0..4 {
        interpreter.input_mut(0).unwrap().copy_from_slice(&x).unwrap();
        interpreter.input_mut(1).unwrap().copy_from_slice(&[i as i32]).unwrap();
        interpreter.input_mut(2).unwrap().copy_from_slice(&[-1.0f32, -2.0]).unwrap();
        interpreter.invoke().unwrap();
        let mut want = x.to_vec();
        want[2 * i..2 * i + 2].copy_from_slice(&[-1.0, -2.0]);
        assert_eq!(output(&interpreter, 0), (vec![4, 2], want));
    }
}

/// With `i + 2` it is not a row update: three rows remain.
#[test]
fn a_near_row_update_is_not_rewritten() {
    let mut interpreter = allocated(&row_update(2));
    assert_eq!([3, 6, 8].map(|operator| interpreter.nodes_of(operator).len()), [1, 1, 1]);
    interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]).unwrap();
    interpreter.input_mut(1).unwrap().copy_from_slice(&[1]).unwrap();
    interpreter.input_mut(2).unwrap().copy_from_slice(&[-1.0f32, -2.0]).unwrap();
    interpreter.invoke().unwrap();
    assert_eq!(output(&interpreter, 0), (vec![3, 2], vec![1.0, 2.0, -1.0, -2.0, 7.0, 8.0]));
}

#[test]
fn a_shape_of_a_million_dimensions_is_refused_with_a_short_message() {
    let mut interpreter = allocated(&negation(&[2]));
    let refused = message(interpreter.resize_input(0, &vec![1; 1_000_000]));
    assert_eq!(refused, "tensor 'x': a shape has at most 8 dimensions, 1000000 are given");
    assert!(message(interpreter.resize_input(0, &[-1])).contains("no dimension can be negative"));
}
