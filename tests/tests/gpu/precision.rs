//! Tensors that `precision=f16` still stores in 32 bits: functions of a model's inputs, up to the first convolution or
//! pool. And the error on a device without images.

use arenite::{Fact, FactValue, Interpreter, Model};
use arenite_abi::schema::{
    Conv2DOptions, DepthwiseConv2DOptions, MulOptions, Pool2DOptions, ReshapeOptions, SoftmaxOptions,
    SubOptions, activation, padding,
};
use arenite_model::tensor_type::{FLOAT32, INT32};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_tests::options::WithOptions;

use super::{backends, config};

/// An image of three channels.
const SHAPE: [i32; 4] = [1, 6, 5, 3];
const LEN: i32 = 90;

/// A chain of ops under construction.
struct Chain {
    file: ModelBuilder,
    graph: SubGraph,
    last: i32,
}

impl Chain {
    fn of(shape: &[i32]) -> Self {
        let mut graph = SubGraph::new("main");
        let last = graph.input(Tensor::new("x", FLOAT32, shape));
        Chain { file: ModelBuilder::new(), graph, last }
    }

    fn constant(&mut self, floats: &[f32], shape: &[i32]) -> i32 {
        let buffer = self.file.buffer(bytes_of(floats));
        self.graph.tensor(Tensor::new("constant", FLOAT32, shape).buffer(buffer))
    }

    /// An op on the last result and another operand.
    fn op(mut self, op: &str, operand: Option<i32>, y: &[i32], with: fn(Operator) -> Operator) -> Self {
        let y = self.graph.tensor(Tensor::new("y", FLOAT32, y));
        let inputs: Vec<i32> = [self.last].into_iter().chain(operand).collect();
        let code = self.file.builtin(op, 1);
        self.graph.operator(with(Operator::new(code, &inputs, &[y])));
        Chain { last: y, ..self }
    }

    /// `x / 127.5 − 1`, with scalar constants or with rows of three.
    fn normalized(mut self, shape: &[i32], row: usize) -> Self {
        let (scale, mean) = (vec![1.0 / 127.5; row], vec![1.0; row]);
        let [scale, mean] = [scale, mean].map(|floats| self.constant(&floats, &[row as i32]));
        let scaled = self.op("MUL", Some(scale), shape, |op| op.with_options::<MulOptions>(|o| o));
        scaled.op("SUB", Some(mean), shape, |op| op.with_options::<SubOptions>(|o| o))
    }

    /// A 1 × 1 convolution with filters that sum to zero, so inputs near −1 cancel out. One filter's sum would not be
    /// zero in 16 bits.
    fn conv(mut self) -> Self {
        let weights = [1.0, -1.0, 0.0, 0.0, 2.0, -2.0, 1.4, 2.3, -3.7, -1.0, 0.0, 1.0, 0.5, 0.0, -0.5];
        let weights = self.constant(&weights, &[5, 1, 1, 3]);
        self.op("CONV_2D", Some(weights), &[1, 6, 5, 5], |op| {
            op.with_options::<Conv2DOptions>(|o| {
                o.set(Conv2DOptions::PADDING, padding::VALID)
                    .set(Conv2DOptions::STRIDE_H, 1)
                    .set(Conv2DOptions::STRIDE_W, 1)
                    .set(Conv2DOptions::FUSED_ACTIVATION_FUNCTION, activation::NONE)
            })
        })
    }

    /// The same for neighbouring pixels.
    fn depthwise(mut self) -> Self {
        let weights = self.constant(&[1.0, 2.0, -1.0, -1.0, -2.0, 1.0], &[1, 1, 2, 3]);
        self.op("DEPTHWISE_CONV_2D", Some(weights), &[1, 6, 4, 3], |op| {
            op.with_options::<DepthwiseConv2DOptions>(|o| {
                o.set(DepthwiseConv2DOptions::PADDING, padding::VALID)
                    .set(DepthwiseConv2DOptions::STRIDE_H, 1)
                    .set(DepthwiseConv2DOptions::STRIDE_W, 1)
                    .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1)
            })
        })
    }

    fn pool(self) -> Self {
        self.op("AVERAGE_POOL_2D", None, &[1, 3, 5, 3], |op| {
            op.with_options::<Pool2DOptions>(|o| {
                o.set(Pool2DOptions::PADDING, padding::VALID)
                    .set(Pool2DOptions::STRIDE_H, 2)
                    .set(Pool2DOptions::STRIDE_W, 1)
                    .set(Pool2DOptions::FILTER_HEIGHT, 2)
                    .set(Pool2DOptions::FILTER_WIDTH, 1)
            })
        })
    }

    fn reshaped(mut self, shape: &[i32]) -> Self {
        let buffer = self.file.buffer(bytes_of(shape));
        let to = Tensor::new("shape", INT32, &[shape.len() as i32]).buffer(buffer);
        let to = self.graph.tensor(to);
        self.op("RESHAPE", Some(to), shape, |op| op.with_options::<ReshapeOptions>(|o| o))
    }

    /// Makes the last result an output.
    fn output(mut self) -> Self {
        self.graph.outputs.push(self.last);
        self
    }

    fn model(self) -> Model {
        let Chain { mut file, graph, .. } = self.output();
        file.subgraph(graph);
        Model::from_bytes(file.finish()).expect("the file is sound")
    }
}

fn run(interpreter: &mut Interpreter) -> Vec<Vec<f32>> {
    interpreter.allocate().expect("it allocates");
    let x: Vec<f32> = (0..LEN).map(|i| ((i * 37) % 101) as f32 / 50.0 - 1.0).collect();
    interpreter.input_mut(0).and_then(|input| input.copy_from_slice(&x)).expect("floats");
    interpreter.invoke().expect("it runs");
    let outputs = 0..interpreter.output_count();
    outputs
        .map(|i| interpreter.output(i).and_then(|y| y.as_slice().map(<[f32]>::to_vec)).expect("floats"))
        .collect()
}

/// Bytes sent to the device, where floats have the size they are stored in.
fn crossed(interpreter: &Interpreter) -> u64 {
    let facts = interpreter.facts().into_iter().flat_map(|partition| partition.facts);
    let is_wanted = |fact: &Fact| fact.key == "to the device in the last invocation";
    match facts.into_iter().find(is_wanted).map(|fact| fact.value) {
        Some(FactValue::Number(bytes, _)) => bytes,
        found => panic!("{found:?}"),
    }
}

#[test]
fn functions_of_inputs_are_stored_in_32_bits() {
    let image = || Chain::of(&SHAPE).normalized(&SHAPE, 1);
    let two_readers = || {
        let mut chain = image();
        let normalized = chain.last;
        chain = chain.conv().output();
        Chain { last: normalized, ..chain }
    };
    for (what, chain, bytes, tolerance) in [
        ("convolution", image().conv(), 4, 2e-3),
        ("depthwise convolution", image().depthwise(), 4, 2e-3),
        ("pool", image().pool(), 4, 2e-3),
        ("constants in 32 bits", Chain::of(&SHAPE).normalized(&SHAPE, 3).conv(), 4, 2e-3),
        ("another name", Chain::of(&[LEN]).normalized(&[LEN], 1).reshaped(&SHAPE).conv(), 4, 2e-3),
        (
            "a reshape, then functions",
            Chain::of(&[LEN]).reshaped(&SHAPE).normalized(&SHAPE, 1).conv(),
            4,
            2e-3,
        ),
        ("two readers", two_readers().pool(), 4, 2e-3),
        // The cases below are stored in 16 bits, with the accuracy of that.
        ("also an output", two_readers(), 2, 0.2),
        ("no function", Chain::of(&SHAPE).conv(), 2, 2e-3),
        (
            "a reader in 16 bits",
            image().op("SOFTMAX", None, &SHAPE, |op| {
                op.with_options::<SoftmaxOptions>(|o| o.set(SoftmaxOptions::BETA, 1.0))
            }),
            2,
            2e-3,
        ),
    ] {
        let model = chain.model();
        let want = run(&mut arenite_tests::reference_ops(&model).build().expect("it builds"));
        for backend in backends() {
            for &storage in backend.storages {
                let options = [("precision", "f16"), ("storage", storage)];
                let builder =
                    arenite_tests::reference_ops(&model).delegate(config(backend.delegate, &options));
                let mut interpreter = builder.build().expect("it builds");
                let got = run(&mut interpreter);
                assert_eq!(interpreter.left_out(), [], "{what}, {backend:?}, {storage}");
                assert_eq!(crossed(&interpreter), LEN as u64 * bytes, "{what}, {backend:?}, {storage}");
                for (want, got) in want.iter().zip(&got) {
                    let largest = want.iter().fold(0f32, |most, x| most.max(x.abs()));
                    let off = want.iter().zip(got).fold(0f32, |most, (a, b)| most.max((a - b).abs()));
                    assert!(off <= tolerance * largest, "{what}, {backend:?}, {storage}: {off} of {largest}");
                }
            }
        }
    }
}

#[test]
fn a_device_without_images_is_named() {
    for backend in backends().filter(|backend| !backend.storages.contains(&"image")) {
        let model = Chain::of(&SHAPE).conv().model();
        let asked = config(backend.delegate, &[("storage", "image")]);
        let error =
            arenite_tests::reference_ops(&model).delegate(asked).build().and_then(|mut it| it.allocate());
        let error = error.expect_err("the call must fail").to_string();
        let known = (backend.devices)().expect("they are listed");
        let is_named = |name: &str| {
            let kernels = format!("kernels of '{}' on {name} have buffers alone", backend.delegate);
            error == format!("delegate '{}': option storage = 'image': {kernels}", backend.delegate)
        };
        assert!(known.iter().any(|about| is_named(&about.name)), "{error}");
    }
}
