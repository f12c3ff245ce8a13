//! Nodes after ops with data-dependent output shapes.

use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::model_file::tensor_type::{BOOL, FLOAT32, INT32, INT64};
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite::{Interpreter, Model, NodeProvider, Registry};
use arenite_abi::schema::{AddOptions, FullyConnectedOptions, MulOptions};
use arenite_tests::options::WithOptions;

use crate::counting::{Work, registry, take_work};

/// The boxes with the best scores, as in a detector's last layers:
///
/// ```text
/// scores [9] ─► GREATER ─► WHERE* ─► GATHER_ND ─► FULLY_CONNECTED ─► ADD ─► RESHAPE* ─► MUL ─► LOGISTIC ─► y
/// boxes [9, 4] ──────────────────────────┘                     shape ─────────┘          * dynamic
/// ```
fn detector() -> Model {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    let f32s = |name: &str, shape: &[i32]| Tensor::new(name, FLOAT32, shape);
    let scores = graph.input(f32s("scores", &[9]));
    let boxes = graph.input(f32s("boxes", &[9, 4]));
    let shape = graph.input(Tensor::new("shape", INT32, &[2]));
    let mut constant = |shape: &[i32], values: &[f32]| {
        let buffer = model.buffer(bytes_of(values));
        graph.tensor(f32s("", shape).buffer(buffer))
    };
    let half = constant(&[], &[0.5]);
    let weights: Vec<f32> = (0..32).map(|i| (i * 7 % 11) as f32 / 8.0 - 0.5).collect();
    let (weights, bias) = (constant(&[8, 4], &weights), constant(&[8], &[0.1; 8]));
    let unknown = [1, 1];
    let best = graph.tensor(Tensor::new("best", BOOL, &[9]));
    let at = graph.tensor(Tensor::new("at", INT64, &unknown));
    let [found, dense, sum, reshaped, scaled] =
        ["found", "dense", "sum", "reshaped", "scaled"].map(|name| graph.tensor(f32s(name, &unknown)));
    let y = graph.output(f32s("y", &unknown));
    for (op, inputs, output) in [
        ("GREATER", &[scores, half][..], best),
        ("WHERE", &[best], at),
        ("GATHER_ND", &[boxes, at], found),
        ("FULLY_CONNECTED", &[found, weights, bias], dense),
        ("ADD", &[dense, half], sum),
        ("RESHAPE", &[sum, shape], reshaped),
        ("MUL", &[reshaped, half], scaled),
        ("LOGISTIC", &[scaled], y),
    ] {
        let operator = Operator::new(model.builtin(op, 1), inputs, &[output]);
        graph.operator(match op {
            "FULLY_CONNECTED" => operator.with_options::<FullyConnectedOptions>(|o| o),
            "ADD" => operator.with_options::<AddOptions>(|o| o),
            "MUL" => operator.with_options::<MulOptions>(|o| o),
            _ => operator,
        });
    }
    model.subgraph(graph);
    Model::from_bytes(model.finish()).expect("the model is sound")
}

fn interpreter(model: &Model, registry: &Arc<Registry>, delegate: Option<&str>) -> Interpreter {
    let builder = Interpreter::builder(model).registry(Arc::clone(registry)).without_default_delegate();
    let builder = delegate.into_iter().fold(builder, |b, name| b.delegate(DelegateConfig::new(name)));
    let mut interpreter = builder.threads(1).build().expect("it can be built");
    interpreter.allocate().expect("it can be allocated");
    interpreter
}

/// The boxes of `count` good scores, in two rows.
fn detect(interpreter: &mut Interpreter, count: usize) -> (Vec<i32>, Vec<f32>) {
    let scores: Vec<f32> = (0..9).map(|i| if i * 5 % 9 < count { 0.9 } else { 0.1 }).collect();
    let boxes: Vec<f32> = (0..36).map(|i| (i * 13 % 17) as f32 / 4.0 - 2.0).collect();
    interpreter.input_mut(0).and_then(|input| input.copy_from_slice(&scores)).expect("scores");
    interpreter.input_mut(1).and_then(|input| input.copy_from_slice(&boxes)).expect("boxes");
    interpreter
        .input_mut(2)
        .and_then(|input| input.copy_from_slice(&[2, 4 * count as i32]))
        .expect("a shape");
    interpreter.invoke().expect("it runs");
    let output = interpreter.output(0).expect("it has an output");
    (output.shape.to_vec(), output.as_slice().expect("of floats").to_vec())
}

#[test]
fn nodes_after_two_dynamic_ops_run_on_the_delegate() {
    let (model, registry) = (detector(), registry());
    let mut plain = interpreter(&model, &registry, None);
    let mut delegated = interpreter(&model, &registry, Some("counting"));
    take_work();
    for (round, count) in [3, 5, 3, 1, 9, 9].into_iter().enumerate() {
        let ((shape, y), (wanted_shape, wanted)) = (detect(&mut delegated, count), detect(&mut plain, count));
        assert_eq!((&shape, &shape[..]), (&wanted_shape, &[2, 4 * count as i32][..]));
        assert!(y.iter().zip(&wanted).all(|(y, wanted)| (y - wanted).abs() < 1e-6), "{y:?} {wanted:?}");
        let work = take_work();
        match round {
            0 => assert!(work.kernels == 2 && work.bytes > 0, "{work:?}"),
            _ => assert_eq!(work, Work { kernels: 0, bytes: 0 }, "{count} boxes: kernels are compiled again"),
        }
    }
    let served = delegated.served_by();
    let is_delegated =
        |served: &NodeProvider| matches!(served, NodeProvider::Delegate { name, .. } if name == "counting");
    // The delegate does not support WHERE.
    assert_eq!(
        served.iter().map(is_delegated).collect::<Vec<_>>(),
        [true, false, true, true, true, false, true, true],
        "{:?}",
        delegated.refusals()
    );
}
