//! Variables: a node reads the value of the last write before it in file order, in this invocation or the previous one.

use std::collections::{BTreeMap, BTreeSet};

use arenite::config::DelegateConfig;
use arenite::model_file::tensor_type;
use arenite::model_file::writer::{ModelBuilder, Tensor, bytes_of};
use arenite::{AlignedBytes, Interpreter, Model};
use arenite_abi::schema::{Conv2DOptions, DepthwiseConv2DOptions, padding};
use arenite_micro::{Planner, required_arena};
use arenite_tests::micro::Aligned;
use arenite_tests::op_models::{self, OneOp, Sound};
use arenite_tests::reference_ops;

use crate::models::{f32s, list, message, model, node, output};

/// Nodes as an op, its inputs and its output; the output's values in three invocations with x = 1. Tensors named v or w
/// are variables.
type Case = (&'static [(&'static str, &'static [&'static str], &'static str)], [f32; 3]);

/// LiteRT without delegates gives the same. With XNNPACK it moves some reads after the write.
const CASES: &[Case] = &[
    (&[("ADD", &["v", "x"], "y"), ("ABS", &["y"], "v")], [1.0, 2.0, 3.0]),
    (&[("ABS", &["v"], "y"), ("ADD", &["x", "x"], "v")], [0.0, 2.0, 2.0]),
    (&[("RESHAPE", &["v", "shape"], "a"), ("ADD", &["x", "x"], "v"), ("ABS", &["a"], "y")], [0.0, 2.0, 2.0]),
    (
        &[("ABS", &["v"], "a"), ("ADD", &["x", "x"], "v"), ("ABS", &["v"], "b"), ("ADD", &["a", "b"], "y")],
        [2.0, 4.0, 4.0],
    ),
    // A write that no node reads, in this invocation or the next.
    (&[("ADD", &["x", "x"], "v"), ("ABS", &["x"], "y")], [1.0; 3]),
    // Several writes.
    (&[("ADD", &["x", "x"], "v"), ("ABS", &["x"], "v"), ("ADD", &["v", "x"], "y")], [2.0; 3]),
    (&[("ADD", &["v", "x"], "y"), ("ADD", &["x", "x"], "v"), ("ABS", &["y"], "v")], [1.0, 2.0, 3.0]),
    (
        &[("ADD", &["v", "x"], "a"), ("ABS", &["a"], "v"), ("ADD", &["v", "a"], "v"), ("ABS", &["v"], "y")],
        [2.0, 6.0, 14.0],
    ),
    // Two variables that swap their values.
    (
        &[("ADD", &["v", "x"], "a"), ("ABS", &["w"], "v"), ("ABS", &["a"], "w"), ("ADD", &["v", "w"], "y")],
        [1.0, 2.0, 3.0],
    ),
    // In place.
    (&[("ABS", &["v"], "v"), ("ADD", &["v", "x"], "y"), ("ABS", &["y"], "v")], [1.0, 2.0, 3.0]),
    (&[("ADD", &["v", "x"], "v"), ("ABS", &["v"], "y")], [1.0, 2.0, 3.0]),
    // The delegate is configured to leave MINIMUM to the reference ops.
    (
        &[
            ("ADD", &["v", "x"], "a"),
            ("MINIMUM", &["a", "a"], "b"),
            ("ABS", &["b"], "v"),
            ("NEG", &["v"], "y"),
        ],
        [-1.0, -2.0, -3.0],
    ),
    (
        &[
            ("MINIMUM", &["v", "v"], "a"),
            ("ADD", &["a", "x"], "b"),
            ("MINIMUM", &["b", "b"], "v"),
            ("ABS", &["b"], "y"),
        ],
        [1.0, 2.0, 3.0],
    ),
];

fn model_of((nodes, _): &Case) -> Model {
    model(|m, g| {
        let mut names = vec!["x", "y"];
        g.input(f32s("x", &[2]));
        g.output(f32s("y", &[2]));
        let shape =
            nodes.iter().any(|(_, inputs, _)| inputs.contains(&"shape")).then(|| list(m, g, "shape", &[2]));
        names.extend(shape.map(|_| "shape"));
        for &(op, inputs, output) in *nodes {
            let mut find = |name| {
                let at = names.iter().position(|&known| known == name).unwrap_or_else(|| {
                    let tensor = f32s(name, &[2]);
                    g.tensor(if ["v", "w"].contains(&name) { tensor.variable() } else { tensor });
                    names.push(name);
                    names.len() - 1
                });
                at as i32
            };
            let inputs: Vec<i32> = inputs.iter().map(|&name| find(name)).collect();
            let output = find(output);
            node(m, g, op, &inputs, output);
        }
    })
}

fn three_times(interpreter: &mut Interpreter) -> [f32; 3] {
    [(); 3].map(|()| {
        interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, 1.0]).unwrap();
        interpreter.invoke().unwrap();
        output(interpreter, 0).1[1]
    })
}

#[test]
fn each_read_sees_the_last_write_before_it_on_every_backend() {
    for case in CASES {
        let model = model_of(case);
        let mut without = DelegateConfig::new("cpu");
        without.exclude_ops = vec!["MINIMUM".to_owned()];
        for (backend, builder) in [
            ("reference ops", reference_ops(&model)),
            ("cpu", Interpreter::builder(&model).delegate(DelegateConfig::new("cpu"))),
            ("cpu without MINIMUM", Interpreter::builder(&model).delegate(without)),
        ] {
            let mut interpreter = builder.build().unwrap();
            interpreter.allocate().unwrap();
            assert_eq!(three_times(&mut interpreter), case.1, "{:?} on {backend}", case.0);
            interpreter.reset_variables();
            assert_eq!(three_times(&mut interpreter), case.1, "{:?} on {backend}, after a reset", case.0);
        }
    }
}

/// `a = -v;  v = op(…);  b = -v`, and the values of `a` and `b` in three invocations. The value of `op` is known before
/// the model runs.
fn known_value(op: &str, shape_of_v: &[i32]) -> Model {
    let ints = |name: &str| Tensor::new(name, tensor_type::INT32, shape_of_v);
    model(|m, g| {
        let x = g.input(f32s("x", &[2, 3]));
        let [a, b] = ["a", "b"].map(|name| g.output(ints(name)));
        let v = g.tensor(ints("v").variable());
        let inputs = match op {
            "BROADCAST_ARGS" => vec![list(m, g, "left", &[2, 1]), list(m, g, "right", &[3])],
            _ => vec![x],
        };
        node(m, g, "NEG", &[v], a);
        node(m, g, op, &inputs, v);
        node(m, g, "NEG", &[v], b);
    })
}

/// SHAPE computes its result in `prepare`. A variable changes only when the node runs, and receives the value for the
/// current shapes.
#[test]
fn a_value_known_in_prepare_is_written_when_the_node_runs() {
    for (op, shape, small, large) in [
        ("SHAPE", &[2][..], &[-2, -3][..], &[-5, -3][..]),
        ("RANK", &[], &[-2], &[-2]),
        ("BROADCAST_ARGS", &[2], &[-2, -3], &[-2, -3]),
    ] {
        let model = known_value(op, shape);
        for builder in [reference_ops(&model), Interpreter::builder(&model)] {
            let mut interpreter = builder.build().unwrap();
            let mut invoke = |rows: i32| {
                interpreter.resize_input(0, &[rows, 3]).unwrap();
                interpreter.allocate().unwrap();
                interpreter.invoke().unwrap();
                [0, 1].map(|i| interpreter.output(i).unwrap().as_slice::<i32>().unwrap().to_vec())
            };
            let zeros = vec![0; small.len()];
            assert_eq!(invoke(2), [zeros.clone(), small.to_vec()], "{op}");
            assert_eq!(invoke(2), [small, small], "{op}");
            assert_eq!(invoke(5)[1], large, "{op}");
            interpreter.reset_variables();
            interpreter.invoke().unwrap();
            assert_eq!(
                interpreter.output(0).unwrap().as_slice::<i32>().unwrap(),
                zeros,
                "{op}, after a reset"
            );
        }
    }
}

/// A model of one node that reads input `i`, a variable, and writes it in place of its output. `None` if types or
/// shapes differ.
fn in_place(sound: &ModelBuilder, i: usize) -> Option<ModelBuilder> {
    let mut model = sound.clone();
    let graph = &mut model.subgraphs[0];
    let node = &mut graph.operators[0];
    let (&[y], v) = (&node.outputs[..], node.inputs[i]) else { return None };
    let form = |t: &Tensor| format!("{} {:?} {:?}", t.element_type, t.shape, t.quantization);
    let same = |a: &Tensor, b: &Tensor| form(a) == form(b);
    let fed = graph.inputs.contains(&v) && node.inputs.iter().filter(|&&t| t == v).count() == 1;
    if !fed || graph.outputs != [y] || !same(&graph.tensors[v as usize], &graph.tensors[y as usize]) {
        return None;
    }
    (node.outputs, graph.outputs) = (vec![v], vec![v]);
    graph.inputs.retain(|&t| t != v);
    graph.tensors[v as usize].is_variable = true;
    Some(model)
}

/// The output's bytes, with bytes `3 i` in tensor `v` and either the values that the op needs or zeros in the inputs;
/// or the error.
fn run(
    model: &ModelBuilder,
    v: i32,
    needed: &BTreeMap<i32, &[u8]>,
    with_delegates: bool,
) -> Result<Vec<u8>, String> {
    let model = Model::from_bytes(model.clone().finish()).expect("it is verified");
    let builder = if with_delegates { Interpreter::builder(&model) } else { reference_ops(&model) };
    let mut interpreter = builder.build().map_err(|error| error.to_string())?;
    interpreter.allocate().map_err(|error| error.to_string())?;
    let inputs = interpreter.inputs_of(0).expect("the model has a subgraph").to_vec();
    for t in inputs.into_iter().filter(|&t| t != v).chain([v]) {
        let bytes = interpreter.tensor_of(0, t as usize).expect("it exists").byte_len();
        let values = match needed.get(&t) {
            Some(values) => values.to_vec(),
            None if t == v => (0..bytes).map(|i| (3 * i % 64) as u8).collect(),
            None => vec![0; bytes],
        };
        let tensor = interpreter.tensor_mut_of(0, t as usize).expect("the tensor is an input or a variable");
        tensor.copy_from_bytes(&values).map_err(|error| error.to_string())?;
    }
    interpreter.invoke().map_err(|error| error.to_string())?;
    Ok(interpreter.output(0).expect("one exists").bytes().expect("it has data").to_vec())
}

/// Ops whose inputs and outputs have one shape.
fn convolutions() -> [Sound; 2] {
    let conv = OneOp::new("CONV_2D").feed(f32s("x", &[1, 4, 4, 2]));
    let conv = conv.constant(f32s("w", &[2, 3, 3, 2]), bytes_of(&[1.0f32; 36])).absent();
    let conv = conv.output(f32s("y", &[1, 4, 4, 2])).options(|o| {
        o.set(Conv2DOptions::PADDING, padding::SAME)
            .set(Conv2DOptions::STRIDE_W, 1)
            .set(Conv2DOptions::STRIDE_H, 1)
    });
    let depthwise = OneOp::new("DEPTHWISE_CONV_2D").feed(f32s("x", &[1, 4, 4, 2]));
    let depthwise = depthwise.constant(f32s("w", &[1, 3, 3, 2]), bytes_of(&[1.0f32; 18])).absent();
    let depthwise = depthwise.output(f32s("y", &[1, 4, 4, 2])).options(|o| {
        o.set(DepthwiseConv2DOptions::PADDING, padding::SAME)
            .set(DepthwiseConv2DOptions::STRIDE_W, 1)
            .set(DepthwiseConv2DOptions::STRIDE_H, 1)
            .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1)
    });
    [("CONV_2D", conv), ("DEPTHWISE_CONV_2D", depthwise)].map(|(op, node)| Sound {
        op,
        model: node.model(),
        inputs: Vec::new(),
    })
}

/// Every op, on a variable that it reads and writes. A convolution, for example, would overwrite pixels that it still
/// needs.
#[test]
fn an_op_without_in_place_support_cannot_write_the_variable_it_reads() {
    let ops = arenite_tests::micro::ops();
    let (mut refused, mut ran) = (BTreeSet::new(), BTreeSet::new());
    for Sound { op, model, inputs } in op_models::all().into_iter().chain(convolutions()) {
        let graph = &model.subgraphs[0];
        let needed = inputs.iter().map(|(i, bytes)| (graph.inputs[*i], &bytes[..])).collect();
        for i in 0..model.subgraphs[0].operators[0].inputs.len() {
            let Some(changed) = in_place(&model, i) else { continue };
            let v = changed.subgraphs[0].operators[0].inputs[i];
            let bytes = Aligned::of(&changed.clone().finish());
            let micro = required_arena(bytes.as_slice(), &ops, Planner::Greedy);
            for with_delegates in [false, true] {
                match run(&changed, v, &needed, with_delegates) {
                    Ok(bytes) => {
                        // Delegates leave such nodes to the reference ops.
                        assert_eq!(Ok(bytes), run(&model, v, &needed, false), "{op}, input {i}");
                        ran.insert(op);
                    }
                    Err(error) => {
                        assert!(error.starts_with(&format!("{op} (node 0")), "{error}");
                        assert!(error.contains("and writes it, but does not work in place"), "{error}");
                        let micro = micro.as_ref().map_err(ToString::to_string).map(|_| ());
                        assert!(micro.is_err_and(|e| e.contains("in place") || e.contains("none of the given ops")), "{op}");
                        refused.insert(op);
                    }
                }
            }
        }
    }
    let has = |set: &BTreeSet<&str>, ops: &[&str]| ops.iter().all(|op| set.contains(op));
    assert!(has(&ran, &["ABS", "ADD", "LOGISTIC"]), "{ran:?}");
    assert!(has(&refused, &["CONV_2D", "DEPTHWISE_CONV_2D", "REVERSE_V2", "SOFTMAX"]), "{refused:?}");
}

/// An input keeps the caller's value until a node writes it; then that value lasts until the caller sets another.
#[test]
fn a_node_may_write_an_input_variable() {
    let model = model(|m, g| {
        let (x, v) = (g.input(f32s("x", &[2])), g.input(f32s("v", &[2]).variable()));
        let (y, z) = (g.output(f32s("y", &[2])), g.output(f32s("z", &[2])));
        node(m, g, "ADD", &[v, x], y);
        node(m, g, "NEG", &[y], v);
        node(m, g, "ABS", &[v], z);
    });
    for builder in [reference_ops(&model), Interpreter::builder(&model)] {
        let mut interpreter = builder.build().unwrap();
        interpreter.allocate().unwrap();
        let mut invoke = |v: Option<f32>| {
            interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, 1.0]).unwrap();
            if let Some(v) = v {
                interpreter.input_mut(1).unwrap().copy_from_slice(&[v, v]).unwrap();
            }
            interpreter.invoke().unwrap();
            [0, 1].map(|i| output(&interpreter, i).1[1])
        };
        assert_eq!(invoke(Some(4.0)), [5.0, 5.0]);
        assert_eq!(invoke(Some(6.0)), [7.0, 7.0]);
        assert_eq!(invoke(None), [-6.0, 6.0], "the node's value was lost");
    }
}

#[test]
fn a_variable_without_elements_is_read_and_written() {
    let model = model(|m, g| {
        let x = g.input(f32s("x", &[0, 3]));
        let v = g.tensor(f32s("v", &[0, 3]).variable());
        let y = g.output(f32s("y", &[0, 3]));
        node(m, g, "ADD", &[v, x], y);
        node(m, g, "ABS", &[y], v);
    });
    for builder in [reference_ops(&model), Interpreter::builder(&model)] {
        let mut interpreter = builder.build().unwrap();
        interpreter.allocate().unwrap();
        for _ in 0..3 {
            interpreter.invoke().unwrap();
            assert_eq!(output(&interpreter, 0), (vec![0, 3], vec![]));
        }
    }
}

/// If the first node that uses a variable writes it, the variable takes the shape of the written value.
#[test]
fn a_variable_that_is_written_first_takes_the_written_shape() {
    let model = model(|m, g| {
        let x = g.input(f32s("x", &[2]));
        let v = g.tensor(f32s("v", &[2]).variable());
        let (y, z) = (g.output(f32s("y", &[2])), g.output(f32s("z", &[2])));
        node(m, g, "NEG", &[x], v);
        node(m, g, "ADD", &[v, x], y);
        node(m, g, "ABS", &[v], z);
    });
    for builder in [reference_ops(&model), Interpreter::builder(&model)] {
        let mut interpreter = builder.build().unwrap();
        for count in [2, 5, 300, 1, 0, 7] {
            interpreter.resize_input(0, &[count]).unwrap();
            interpreter.allocate().unwrap();
            interpreter.reset_variables();
            let ones = vec![1.0f32; count as usize];
            interpreter.input_mut(0).unwrap().copy_from_slice(&ones).unwrap();
            interpreter.invoke().unwrap();
            assert_eq!(output(&interpreter, 0), (vec![count], vec![0.0; count as usize]));
            assert_eq!(output(&interpreter, 1), (vec![count], ones));
        }
    }
}

/// Two nodes write a variable in different shapes of one size: each reader sees the shape of the last write.
#[test]
fn a_variable_has_the_shape_of_the_last_write() {
    let model = model(|m, g| {
        let x = g.input(f32s("x", &[2, 3]));
        let v = g.tensor(f32s("v", &[6]).variable());
        let [flat, tall] = [list(m, g, "flat", &[6]), list(m, g, "tall", &[3, 2])];
        let [y, z] = [g.output(f32s("y", &[6])), g.output(f32s("z", &[3, 2]))];
        node(m, g, "RESHAPE", &[x, flat], v);
        node(m, g, "NEG", &[v], y);
        node(m, g, "RESHAPE", &[x, tall], v);
        node(m, g, "NEG", &[v], z);
    });
    for builder in [reference_ops(&model), Interpreter::builder(&model)] {
        let mut interpreter = builder.build().unwrap();
        interpreter.allocate().unwrap();
        for _ in 0..3 {
            interpreter.invoke().unwrap();
            assert_eq!([0, 1].map(|i| output(&interpreter, i).0), [vec![6], vec![3, 2]]);
        }
    }
}

/// A node that reads a variable before it is written in another shape of the same size sees the shape from before, on
/// every backend.
#[test]
fn a_reader_before_the_write_sees_the_shape_from_before() {
    let model = model(|m, g| {
        let x = g.input(f32s("x", &[1, 3]));
        let v = g.tensor(f32s("v", &[1, 3]).variable());
        let [y, z] = [g.output(f32s("y", &[1, 3])), g.output(f32s("z", &[1, 3]))];
        node(m, g, "ABS", &[v], y);
        node(m, g, "NEG", &[x], v);
        node(m, g, "ADD", &[y, v], z);
    });
    for builder in [reference_ops(&model), Interpreter::builder(&model)] {
        let mut interpreter = builder.build().unwrap();
        interpreter.allocate().unwrap();
        interpreter.invoke().unwrap();
        interpreter.resize_input(0, &[3, 1]).unwrap();
        interpreter.allocate().unwrap();
        for _ in 0..3 {
            interpreter.invoke().unwrap();
            assert_eq!([0, 1].map(|i| output(&interpreter, i).0), [vec![1, 3], vec![3, 3]]);
        }
    }
}

/// A variable cannot outgrow lent memory, and a variable that is read first keeps its shape.
#[test]
fn a_variable_does_not_outgrow_its_memory_or_its_first_reader() {
    for (read_first, want) in [
        (false, "it needs 20 bytes, the memory lent to it has 8"),
        (true, "output 0 is a variable of 8 bytes, the op writes 20"),
    ] {
        let model = model(|m, g| {
            let x = g.input(f32s("x", &[2]));
            let v = g.tensor(f32s("v", &[2]).variable());
            let y = g.output(f32s("y", &[2]));
            if read_first {
                node(m, g, "ABS", &[v], y);
            }
            node(m, g, "NEG", &[x], v);
            if !read_first {
                node(m, g, "ABS", &[v], y);
            }
        });
        for builder in [reference_ops(&model), Interpreter::builder(&model)] {
            let mut interpreter = builder.build().unwrap();
            interpreter.allocate().unwrap();
            if !read_first {
                let memory = AlignedBytes::zeroed(8).unwrap();
                interpreter.lend(0, 1, Box::new(memory)).unwrap();
            }
            interpreter.resize_input(0, &[5]).unwrap();
            let error = message(interpreter.allocate());
            assert!(error.contains(want), "{error}");
            interpreter.reset_variables();
        }
    }
}
