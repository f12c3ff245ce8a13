//! Weights that a model stores sparse, and constants that are views of others.

use arenite::model_file::tensor_type::{FLOAT16, FLOAT32};
use arenite::model_file::writer::{Level, Operator, Sparsity, Tensor, bytes_of};
use arenite::{Interpreter, Model, NodeProvider};
use arenite_abi::schema::{Conv2DOptions, padding};
use arenite_tests::options::WithOptions;

use crate::models::{f32s, model, node};

const FILTERS: i32 = 64;
const CHANNELS: i32 = 48;
/// Bytes of the dense weights, in half precision.
const DENSE: u64 = (FILTERS * CHANNELS * 2) as u64;

/// A 1 × 1 convolution: DENSIFY ─► DEQUANTIZE ─► CONV_2D. In each filter every third weight is stored.
fn network() -> Model {
    model(|m, g| {
        let stored: Vec<u16> = (0..FILTERS * CHANNELS / 3)
            .map(|i| half::f16::from_f32((i % 13 - 6) as f32 / 8.0).to_bits())
            .collect();
        let per_filter = CHANNELS / 3;
        let last = Level::Sparse {
            segments: (0..=FILTERS).map(|filter| filter * per_filter).collect(),
            indices: (0..FILTERS)
                .flat_map(|filter| (0..per_filter).map(move |i| 3 * i + filter % 3))
                .collect(),
        };
        let levels = vec![Level::Dense(FILTERS), Level::Dense(1), Level::Dense(1), last];
        let sparsity = Sparsity { traversal_order: vec![0, 1, 2, 3], block_map: vec![], levels };
        let shape = [FILTERS, 1, 1, CHANNELS];
        let buffer = m.buffer(bytes_of(&stored));
        let sparse = g.tensor(Tensor::new("sparse", FLOAT16, &shape).buffer(buffer).sparse(sparsity));
        let dense = g.tensor(Tensor::new("dense", FLOAT16, &shape));
        let weights = g.tensor(Tensor::new("weights", FLOAT32, &shape));
        let buffer = m.buffer(bytes_of(&vec![0.5f32; FILTERS as usize]));
        let bias = g.tensor(f32s("bias", &[FILTERS]).buffer(buffer));
        let x = g.input(f32s("x", &[1, 5, 7, CHANNELS]));
        let y = g.output(f32s("y", &[1, 5, 7, FILTERS]));
        node(m, g, "DENSIFY", &[sparse], dense);
        node(m, g, "DEQUANTIZE", &[dense], weights);
        let convolution = Operator::new(m.builtin("CONV_2D", 1), &[x, weights, bias], &[y]);
        g.operator(convolution.with_options(|o| {
            o.set(Conv2DOptions::PADDING, padding::VALID)
                .set(Conv2DOptions::STRIDE_H, 1)
                .set(Conv2DOptions::STRIDE_W, 1)
        }));
    })
}

fn run(interpreter: &mut Interpreter, rows: i32) -> Vec<f32> {
    interpreter.resize_input(0, &[1, rows, 7, CHANNELS]).expect("it has the input");
    interpreter.allocate().expect("it allocates");
    let x = interpreter.input_mut(0).expect("it has the input").into_slice::<f32>().expect("floats");
    x.iter_mut().enumerate().for_each(|(i, x)| *x = (i * 7 % 31) as f32 / 8.0 - 1.5);
    interpreter.invoke().expect("it runs");
    interpreter.output(0).and_then(|y| y.as_slice::<f32>().map(<[f32]>::to_vec)).expect("it has an output")
}

/// The delegate packs the weights, as it does with weights that are stored dense, and nothing copies them.
#[test]
fn sparse_weights_are_constants_for_delegates() {
    let model = network();
    let mut delegated = Interpreter::builder(&model).build().expect("it builds");
    let mut reference = arenite_tests::reference_ops(&model).build().expect("it builds");
    for rows in [5, 5, 8] {
        let (got, want) = (run(&mut delegated, rows), run(&mut reference, rows));
        let differ = got.iter().zip(&want).position(|(g, w)| (g - w).abs() > 1e-5 * w.abs().max(1.0));
        assert_eq!(differ.map(|i| (i, got[i], want[i])), None, "{rows} rows");
        let cpu = NodeProvider::Delegate { name: "cpu".into(), partition: 0 };
        let served = delegated.served_by();
        assert!(matches!(&served[0], NodeProvider::Folded(_)), "{served:?}");
        assert_eq!(served[1..], [cpu.clone(), cpu]);
        assert!(delegated.memory_use().persistent < DENSE, "{:?}", delegated.memory_use());
    }
    // Without a delegate the dequantized weights are computed once; the dense ones are the graph's.
    let floats = 2 * DENSE;
    assert!((floats..floats + DENSE).contains(&reference.memory_use().persistent));
}

/// `y = RESHAPE(constant)`, which is an output.
#[test]
fn a_view_of_a_constant_has_no_memory() {
    let data: Vec<f32> = (0..4096).map(|i| i as f32).collect();
    let model = model(|m, g| {
        let buffer = m.buffer(bytes_of(&data));
        let constant = g.tensor(f32s("constant", &[4096]).buffer(buffer));
        let shape = crate::models::list(m, g, "shape", &[64, 64]);
        let y = g.output(f32s("y", &[64, 64]));
        node(m, g, "RESHAPE", &[constant, shape], y);
    });
    let mut interpreter = Interpreter::builder(&model).build().expect("it builds");
    for _ in 0..2 {
        interpreter.allocate().expect("it allocates");
        interpreter.invoke().expect("it runs");
        let y = interpreter.output(0).expect("it has an output");
        assert_eq!((y.shape, y.as_slice::<f32>().expect("floats")), (&[64, 64][..], &data[..]));
        assert!(interpreter.memory_use().persistent < 4096, "{:?}", interpreter.memory_use());
    }
}
