//! Subgraphs that the CPU delegate fuses into one step, in the forms that converters write them. Each is compared with
//! the reference ops, on every instruction set and with several threads.
mod attention;
mod bytes;
mod profile;
mod windows;
use arenite::config::DelegateConfig;
use arenite::model_file::tensor_type::{FLOAT16, FLOAT32, INT8, INT32};
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite::{Interpreter, Model};
use arenite_abi::schema::{
    ConcatenationOptions, Conv2DOptions, DepthwiseConv2DOptions, ReducerOptions, SoftmaxOptions,
    TransposeConvOptions, activation, padding,
};
use arenite_tests::options::{Attributes, WithOptions};

/// A model under construction: nodes are in execution order, and the last one's result is the output.
struct Net {
    model: ModelBuilder,
    graph: SubGraph,
    seed: u64,
}

/// A tensor: its index and its type.
#[derive(Clone)]
struct Value {
    index: i32,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    F32,
    /// Quantized with this scale and zero point.
    I8(f32, i64),
}

const REAL: Kind = Kind::F32;

impl Net {
    fn new() -> Net {
        Net { model: ModelBuilder::new(), graph: SubGraph::new("main"), seed: 1 }
    }

    /// Numbers between -1 and 1, the same in each run.
    fn random(&mut self) -> f32 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn tensor(kind: Kind, shape: &[i32]) -> Tensor {
        match kind {
            Kind::F32 => Tensor::new("", FLOAT32, shape),
            Kind::I8(scale, zero_point) => Tensor::new("", INT8, shape).quantized(scale, zero_point),
        }
    }

    fn input(&mut self, kind: Kind, shape: &[i32]) -> Value {
        Value { index: self.graph.input(Self::tensor(kind, shape)), kind }
    }

    /// A constant of random numbers.
    fn weights(&mut self, shape: &[i32]) -> Value {
        let len: i32 = shape.iter().product();
        let data: Vec<f32> = (0..len).map(|_| self.random()).collect();
        self.real(shape, &data)
    }

    fn real(&mut self, shape: &[i32], data: &[f32]) -> Value {
        let buffer = self.model.buffer(bytes_of(data));
        Value { index: self.graph.tensor(Self::tensor(REAL, shape).buffer(buffer)), kind: REAL }
    }

    /// Random bytes with a scale for each slice of `axis`.
    fn bytes(&mut self, shape: &[i32], axis: i32) -> Value {
        let len: i32 = shape.iter().product();
        let data: Vec<u8> = (0..len).map(|_| (self.random() * 127.0) as i8 as u8).collect();
        let channels = shape[axis as usize] as usize;
        let scales: Vec<f32> = (0..channels).map(|_| 0.006 + 0.003 * self.random()).collect();
        let buffer = self.model.buffer(data);
        let tensor = Tensor::new("", INT8, shape).per_channel(&scales, &vec![0; channels], axis);
        Value { index: self.graph.tensor(tensor.buffer(buffer)), kind: Kind::I8(0.0, 0) }
    }

    /// Weights that are stored in half precision, followed by a DEQUANTIZE.
    fn halves(&mut self, shape: &[i32]) -> Value {
        let len: i32 = shape.iter().product();
        let data: Vec<u16> = (0..len).map(|_| half::f16::from_f32(self.random()).to_bits()).collect();
        let buffer = self.model.buffer(bytes_of(&data));
        let index = self.graph.tensor(Tensor::new("", FLOAT16, shape).buffer(buffer));
        self.node("DEQUANTIZE", &[&Value { index, kind: REAL }], REAL, None)
    }

    /// Random bytes with a scale for the whole tensor.
    fn row(&mut self, kind: Kind, columns: i32) -> Value {
        let data: Vec<u8> = (0..columns).map(|_| (self.random() * 127.0) as i8 as u8).collect();
        let buffer = self.model.buffer(data);
        Value { index: self.graph.tensor(Self::tensor(kind, &[columns]).buffer(buffer)), kind }
    }

    fn integers(&mut self, data: &[i32]) -> Value {
        self.list(&[data.len() as i32], data)
    }

    fn list(&mut self, shape: &[i32], data: &[i32]) -> Value {
        let buffer = self.model.buffer(bytes_of(data));
        Value { index: self.graph.tensor(Tensor::new("", INT32, shape).buffer(buffer)), kind: REAL }
    }

    /// Adds a node with one result of `kind`; its shape is inferred by `allocate`.
    fn node(&mut self, op: &str, inputs: &[&Value], kind: Kind, options: Option<Attributes>) -> Value {
        let inputs: Vec<i32> = inputs.iter().map(|value| value.index).collect();
        let output = self.graph.tensor(Self::tensor(kind, &[]));
        let mut node = Operator::new(self.model.builtin(op, 1), &inputs, &[output]);
        if let Some(options) = options.or_else(|| Attributes::defaults(op)) {
            node = node.with(options);
        }
        self.graph.operator(node);
        Value { index: output, kind }
    }

    fn of_one(&mut self, op: &str, x: &Value) -> Value {
        self.node(op, &[x], x.kind, None)
    }

    fn of_two(&mut self, op: &str, x: &Value, y: &Value) -> Value {
        self.node(op, &[x, y], x.kind, None)
    }

    fn pad(&mut self, x: &Value, pads: [[i32; 2]; 4]) -> Value {
        let pads = self.list(&[4, 2], pads.as_flattened());
        self.node("PAD", &[x, &pads], x.kind, None)
    }

    /// A convolution of `taps × taps` without padding, with ReLU6.
    fn conv(&mut self, x: &Value, taps: i32, stride: i32, channels: [i32; 2]) -> Value {
        let filter = self.weights(&[channels[1], taps, taps, channels[0]]);
        let bias = self.weights(&[channels[1]]);
        let options = Attributes::of(|o| {
            o.set(Conv2DOptions::PADDING, padding::VALID)
                .set(Conv2DOptions::STRIDE_W, stride)
                .set(Conv2DOptions::STRIDE_H, stride)
                .set(Conv2DOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU6)
        });
        self.node("CONV_2D", &[x, &filter, &bias], REAL, Some(options))
    }

    fn depthwise(&mut self, x: &Value, taps: i32, stride: i32, channels: i32) -> Value {
        let filter = self.weights(&[1, taps, taps, channels]);
        let bias = self.weights(&[channels]);
        let options = Attributes::of(|o| {
            o.set(DepthwiseConv2DOptions::PADDING, padding::VALID)
                .set(DepthwiseConv2DOptions::STRIDE_W, stride)
                .set(DepthwiseConv2DOptions::STRIDE_H, stride)
                .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1)
                .set(DepthwiseConv2DOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU6)
        });
        self.node("DEPTHWISE_CONV_2D", &[x, &filter, &bias], REAL, Some(options))
    }

    fn mean(&mut self, x: &Value) -> Value {
        let axis = self.integers(&[-1]);
        self.node("MEAN", &[x, &axis], REAL, Some(Attributes::of(|o| o.set(ReducerOptions::KEEP_DIMS, true))))
    }

    fn transpose(&mut self, x: &Value, order: &[i32]) -> Value {
        let order = self.integers(order);
        self.node("TRANSPOSE", &[x, &order], x.kind, None)
    }

    fn reshape(&mut self, x: &Value, shape: &[i32]) -> Value {
        let shape = self.integers(shape);
        self.node("RESHAPE", &[x, &shape], x.kind, None)
    }

    fn finish(mut self, y: &Value) -> Model {
        self.graph.outputs.push(y.index);
        self.model.subgraph(self.graph);
        Model::from_bytes(self.model.finish()).expect("the model is sound")
    }
}

/// The bytes of an input: multiples of 1/64 for floats, any values for integers.
fn fill(interpreter: &mut Interpreter) {
    for i in 0..interpreter.input_count() {
        let input = interpreter.input_mut(i).unwrap();
        let is_float = input.tensor().ty == arenite::ElementType::F32;
        let bytes = input.into_bytes().unwrap();
        let number = |k: usize| (k * 37 + k / 7 * 11 + i) % 255;
        match is_float {
            true => bytes.as_chunks_mut::<4>().0.iter_mut().enumerate().for_each(|(k, x)| {
                *x = ((number(k) as f32 - 127.0) / 64.0).to_le_bytes();
            }),
            false => bytes.iter_mut().enumerate().for_each(|(k, x)| *x = number(k) as u8),
        }
    }
}

fn run(interpreter: &mut Interpreter) -> Vec<u8> {
    interpreter.allocate().unwrap();
    fill(interpreter);
    interpreter.invoke().unwrap();
    interpreter.output(0).unwrap().bytes().unwrap().to_vec()
}

/// The steps that the delegate makes of the model. Also checks its results against the reference ops: integers exactly,
/// floats within 1e-5 of the largest, and the same bits for any number of threads.
#[track_caller]
fn steps(model: &Model) -> Vec<String> {
    let want = run(&mut arenite_tests::reference_ops(model).build().unwrap());
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
    };
    let mut steps = Vec::new();
    for isa in ["scalar", "avx2", "avxvnni", "avx512", "avx512vnni", "amx", "neon", "neondot", "neoni8mm"] {
        let build = |threads| {
            let mut delegate = DelegateConfig::new("cpu");
            delegate.options.push(("isa".to_owned(), isa.to_owned()));
            Interpreter::builder(model).delegate(delegate).threads(threads).build().unwrap()
        };
        let mut interpreter = build(1);
        let got = run(&mut interpreter);
        assert_eq!(interpreter.left_out(), [], "{isa}");
        interpreter.start_profile();
        interpreter.invoke().unwrap();
        assert_eq!(run(&mut build(3)), got, "{isa}: the bits differ with three threads");
        match interpreter.output(0).unwrap().ty {
            arenite::ElementType::F32 => {
                let (got, want) = (floats(&got), floats(&want));
                let largest = want.iter().fold(0f32, |a, x| a.max(x.abs()));
                assert!(largest > 0.0 && got.len() == want.len());
                let differ = got.iter().zip(&want).position(|(g, w)| (g - w).abs() > 1e-5 * largest);
                assert_eq!(differ.map(|i| (i, got[i], want[i])), None, "{isa}");
            }
            _ => assert_eq!(got, want, "{isa}"),
        }
        steps = profile::names(&interpreter);
    }
    steps
}

const PAD_ROWS_AND_COLUMNS: [[i32; 2]; 4] = [[0, 0], [0, 1], [1, 2], [0, 0]];

/// Where 8-bit products use 16-bit multiplications, Winograd tiles replace taps; the last row and column have partial
/// tiles.
#[test]
fn a_quantized_3_by_3_convolution_is_bit_exact_on_every_instruction_set() {
    for (input, filters, padding) in [
        ([2, 9, 11, 24], 20, padding::SAME),
        ([1, 14, 8, 35], 64, padding::VALID),
        ([3, 5, 6, 130], 33, padding::SAME),
    ] {
        let mut net = Net::new();
        let x = net.input(Kind::I8(0.02, -3), &input);
        let filter = net.bytes(&[filters, 3, 3, input[3]], 0);
        let bias: Vec<i32> = (0..filters).map(|i| i * 100 - 900).collect();
        let bias = net.list(&[filters], &bias);
        let options = Attributes::of(|o| {
            o.set(Conv2DOptions::PADDING, padding)
                .set(Conv2DOptions::STRIDE_W, 1)
                .set(Conv2DOptions::STRIDE_H, 1)
        });
        let y = net.node("CONV_2D", &[&x, &filter, &bias], Kind::I8(0.3, 5), Some(options));
        assert!(steps(&net.finish(&y)).contains(&"CONV_2D".to_owned()));
    }
}

#[test]
fn a_pad_is_fused_into_a_quantized_convolution() {
    let kind = Kind::I8(0.02, -3);
    let mut net = Net::new();
    let x = net.input(kind, &[1, 9, 10, 8]);
    let padded = net.pad(&x, PAD_ROWS_AND_COLUMNS);
    let filter = net.bytes(&[12, 3, 3, 8], 0);
    let bias = net.list(&[12], &[100, -200, 300, 0, 5, 6, 7, 8, 9, 10, 1000, -1000]);
    let y = net.node(
        "CONV_2D",
        &[&padded, &filter, &bias],
        Kind::I8(0.3, 5),
        Some(Attributes::of(|o| {
            o.set(Conv2DOptions::PADDING, padding::VALID)
                .set(Conv2DOptions::STRIDE_W, 2)
                .set(Conv2DOptions::STRIDE_H, 2)
        })),
    );
    // The padded copy has a border on the left and on the right, so that the taps of a filter row are contiguous.
    assert_eq!(steps(&net.finish(&y)), ["flip signs", "pad", "CONV_2D"]);

    let mut net = Net::new();
    let x = net.input(kind, &[1, 9, 10, 12]);
    let padded = net.pad(&x, PAD_ROWS_AND_COLUMNS);
    let filter = net.bytes(&[1, 3, 3, 12], 3);
    let bias = net.list(&[12], &[1, -2, 3, 0, 5, 6, 7, 8, 9, 10, 11, -12]);
    let options = Attributes::of(|o| {
        o.set(DepthwiseConv2DOptions::PADDING, padding::VALID)
            .set(DepthwiseConv2DOptions::STRIDE_W, 2)
            .set(DepthwiseConv2DOptions::STRIDE_H, 2)
            .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1)
    });
    let y = net.node("DEPTHWISE_CONV_2D", &[&padded, &filter, &bias], Kind::I8(0.1, 5), Some(options));
    assert_eq!(steps(&net.finish(&y)), ["flip signs", "DEPTHWISE_CONV_2D"]);
}

#[test]
fn dynamic_range_transposed_convolutions_are_fused_with_the_ops_after_them() {
    // Phases with different taps or with the same taps; depths that are multiples of four and others; several images.
    for (images, [depth, channels], taps, stride, same) in [
        (1, [8, 5], 2, 2, true),
        (2, [7, 20], 3, 2, true),
        (3, [16, 33], 3, 2, false),
        (1, [5, 4], 1, 2, false),
    ] {
        let mut net = Net::new();
        let x = net.input(REAL, &[images, 5, 19, depth]);
        let size = |input: i32| if same { input * stride } else { (input - 1) * stride + taps };
        let shape = net.integers(&[images, size(5), size(19), channels]);
        let filter = net.bytes(&[channels, taps, taps, depth], 0);
        let bias = net.weights(&[channels]);
        let options = Attributes::of(|o| {
            o.set(TransposeConvOptions::PADDING, i8::from(!same))
                .set(TransposeConvOptions::STRIDE_W, stride)
                .set(TransposeConvOptions::STRIDE_H, stride)
                .set(TransposeConvOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU)
        });
        let y = net.node("TRANSPOSE_CONV", &[&shape, &filter, &x, &bias], REAL, Some(options));
        let y = net.of_one("TANH", &y);
        assert_eq!(steps(&net.finish(&y)), ["TRANSPOSE_CONV"], "{taps} taps, stride {stride}");
    }
}

#[test]
fn a_pad_is_kept_where_it_cannot_be_fused() {
    // The channels are padded.
    let mut net = Net::new();
    let x = net.input(REAL, &[1, 6, 6, 5]);
    let padded = net.pad(&x, [[0, 0], [1, 1], [1, 1], [0, 1]]);
    let y = net.conv(&padded, 3, 1, [6, 4]);
    assert_eq!(steps(&net.finish(&y)), ["pad", "CONV_2D"]);
    // The padding is so large that a window covers nothing but padding.
    let mut net = Net::new();
    let x = net.input(REAL, &[1, 6, 6, 5]);
    let padded = net.pad(&x, [[0, 0], [3, 3], [1, 1], [0, 0]]);
    let y = net.conv(&padded, 3, 1, [5, 4]);
    assert_eq!(steps(&net.finish(&y)), ["pad", "CONV_2D"]);
    // Another node reads the padded tensor, too.
    let mut net = Net::new();
    let x = net.input(REAL, &[1, 6, 6, 5]);
    let padded = net.pad(&x, [[0, 0], [1, 1], [1, 1], [0, 0]]);
    let y = net.conv(&padded, 3, 1, [5, 5]);
    let z = net.depthwise(&padded, 3, 1, 5);
    let negated = net.of_one("NEG", &padded);
    let largest = net.of_two("MAXIMUM", &y, &z);
    let all = net.integers(&[1, 2]);
    let of_padded = net.node(
        "REDUCE_MAX",
        &[&negated, &all],
        REAL,
        Some(Attributes::of(|o| o.set(ReducerOptions::KEEP_DIMS, true))),
    );
    let sum = net.of_two("ADD", &largest, &of_padded);
    let steps = steps(&net.finish(&sum));
    assert!(steps.contains(&"pad".to_owned()), "{steps:?}");
}

#[test]
fn space_to_batch_and_batch_to_space_are_single_steps() {
    for (kind, pads) in [(REAL, [0, 0, 0, 0]), (Kind::I8(0.5, -7), [1, 2, 0, 3])] {
        let mut net = Net::new();
        let x = net.input(kind, &[2, 9 - pads[0] - pads[1], 8 - pads[2] - pads[3], 5]);
        let (block, pads) = (net.integers(&[3, 4]), net.list(&[2, 2], &pads));
        let blocks = net.node("SPACE_TO_BATCH_ND", &[&x, &block, &pads], kind, None);
        let whole = net.node("BATCH_TO_SPACE_ND", &[&blocks, &block, &pads], kind, None);
        let y = net.of_two("ADD", &whole, &x);
        let steps = steps(&net.finish(&y));
        let moves: Vec<_> = steps.iter().filter(|step| step.contains("batch")).collect();
        assert_eq!(moves, ["space to batch", "batch to space"], "{steps:?}");
    }
}

#[test]
fn functions_of_results_are_fused_into_the_step_that_computes_them() {
    // SiLU, as x · logistic(x).
    let mut net = Net::new();
    let x = net.input(REAL, &[1, 6, 6, 5]);
    let a = net.conv(&x, 1, 1, [5, 20]);
    let gate = net.of_one("LOGISTIC", &a);
    let y = net.of_two("MUL", &a, &gate);
    assert_eq!(steps(&net.finish(&y)), ["CONV_2D"]);
    // A residual sum of two convolutions, with ReLU.
    let mut net = Net::new();
    let x = net.input(REAL, &[1, 6, 6, 20]);
    let a = net.conv(&x, 1, 1, [20, 20]);
    let b = net.of_two("ADD", &x, &a);
    let y = net.of_one("RELU", &b);
    assert_eq!(steps(&net.finish(&y)), ["CONV_2D"]);
    // A clamp after a clamp.
    for clamp in ["RELU", "RELU_N1_TO_1"] {
        let mut net = Net::new();
        let x = net.input(REAL, &[1, 6, 6, 5]);
        let a = net.conv(&x, 3, 1, [5, 20]);
        let b = net.of_one(clamp, &a);
        let y = net.of_one("TANH", &b);
        assert_eq!(steps(&net.finish(&y)), ["CONV_2D"], "{clamp}");
    }
    // GELU as its formula with tanh.
    let mut net = Net::new();
    let x = net.input(REAL, &[3, 7]);
    let [cube, root, half, one] = [0.044_715, 0.797_884_6, 0.5, 1.0].map(|c| net.real(&[], &[c]));
    let squared = net.of_two("MUL", &x, &x);
    let cubed = net.of_two("MUL", &squared, &x);
    let scaled = net.of_two("MUL", &cubed, &cube);
    let sum = net.of_two("ADD", &x, &scaled);
    let inner = net.of_two("MUL", &sum, &root);
    let tanh = net.of_one("TANH", &inner);
    let shifted = net.of_two("ADD", &tanh, &one);
    let halved = net.of_two("MUL", &x, &half);
    let y = net.of_two("MUL", &halved, &shifted);
    // x is also read by the sum and by the last product, which start new steps.
    assert_eq!(steps(&net.finish(&y)), ["elementwise"; 3]);
}

#[test]
fn layer_norm_is_one_step() {
    // (x − m) · rsqrt(v + ε) · gamma + beta.
    let mut net = Net::new();
    let x = net.input(REAL, &[4, 33]);
    let (gamma, beta, epsilon) = (net.weights(&[33]), net.weights(&[33]), net.real(&[], &[1e-3]));
    let mean = net.mean(&x);
    let squares = net.of_two("SQUARED_DIFFERENCE", &x, &mean);
    let variance = net.mean(&squares);
    let shifted = net.of_two("ADD", &variance, &epsilon);
    let scale = net.of_one("RSQRT", &shifted);
    let deviation = net.of_two("SUB", &x, &mean);
    let normal = net.of_two("MUL", &deviation, &scale);
    let scaled = net.of_two("MUL", &normal, &gamma);
    let y = net.of_two("ADD", &scaled, &beta);
    assert_eq!(steps(&net.finish(&y)), ["layer norm"]);
    // x · g + (beta − m · g), with g = rsqrt(v + ε) · gamma.
    let mut net = Net::new();
    let x = net.input(REAL, &[2, 3, 16]);
    let (gamma, beta, epsilon) = (net.weights(&[16]), net.weights(&[16]), net.real(&[], &[1e-3]));
    let mean = net.mean(&x);
    let squares = net.of_two("SQUARED_DIFFERENCE", &x, &mean);
    let variance = net.mean(&squares);
    let shifted = net.of_two("ADD", &variance, &epsilon);
    let root = net.of_one("RSQRT", &shifted);
    let scale = net.of_two("MUL", &root, &gamma);
    let scaled = net.of_two("MUL", &x, &scale);
    let offset = net.of_two("MUL", &mean, &scale);
    let rest = net.of_two("SUB", &beta, &offset);
    let y = net.of_two("ADD", &scaled, &rest);
    assert_eq!(steps(&net.finish(&y)), ["layer norm"]);
}

#[test]
fn half_precision_and_8_bit_weights_are_packed_without_conversion() {
    for as_bytes in [false, true] {
        let stored = |net: &mut Net, shape: &[i32], axis: i32| match as_bytes {
            false => net.halves(shape),
            true => {
                let bytes = net.bytes(shape, axis);
                net.node("DEQUANTIZE", &[&bytes], REAL, None)
            }
        };
        let mut net = Net::new();
        let x = net.input(REAL, &[1, 12, 12, 40]);
        let (filter, bias) = (stored(&mut net, &[48, 3, 3, 40], 0), net.halves(&[48]));
        let options = Attributes::of(|o| o.set(Conv2DOptions::STRIDE_W, 1).set(Conv2DOptions::STRIDE_H, 1));
        let a = net.node("CONV_2D", &[&x, &filter, &bias], REAL, Some(options));
        let (filter, bias) = (stored(&mut net, &[1, 5, 5, 48], 3), net.halves(&[48]));
        let options = Attributes::of(|o| {
            o.set(DepthwiseConv2DOptions::STRIDE_W, 2)
                .set(DepthwiseConv2DOptions::STRIDE_H, 2)
                .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1)
        });
        let b = net.node("DEPTHWISE_CONV_2D", &[&a, &filter, &bias], REAL, Some(options));
        let (filter, shape) = (stored(&mut net, &[24, 2, 2, 48], 0), net.integers(&[1, 12, 12, 24]));
        let options = Attributes::of(|o| {
            o.set(TransposeConvOptions::STRIDE_W, 2).set(TransposeConvOptions::STRIDE_H, 2)
        });
        let c = net.node("TRANSPOSE_CONV", &[&shape, &filter, &b], REAL, Some(options));
        let (weights, bias) = (stored(&mut net, &[70, 24], 0), net.halves(&[70]));
        let y = net.node("FULLY_CONNECTED", &[&c, &weights, &bias], REAL, None);
        let layers = ["CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "CONV_2D"];
        let steps = steps(&net.finish(&y));
        let kinds: Vec<&str> = steps.iter().map(|name| name.trim_end_matches(", Winograd")).collect();
        assert_eq!(kinds, layers);
    }
}

/// The result of a DEQUANTIZE that other nodes read, too, is computed once, before the run.
#[test]
fn shared_weights_are_dequantized_once() {
    let mut net = Net::new();
    let x = net.input(REAL, &[48, 40]);
    let weights = net.halves(&[48, 40]);
    let product = net.node("FULLY_CONNECTED", &[&x, &weights], REAL, None);
    let sum = net.of_two("ADD", &x, &weights);
    let total = net.node("FULLY_CONNECTED", &[&sum, &x], REAL, None);
    let y = net.of_two("ADD", &product, &total);
    let steps = steps(&net.finish(&y));
    assert!(!steps.contains(&"DEQUANTIZE".to_owned()), "{steps:?}");
    assert!(steps.contains(&"CONV_2D".to_owned()), "{steps:?}");
}

/// Bytes of the mapped file at `path` that are resident in this process.
#[cfg(target_os = "linux")]
fn resident(path: &std::path::Path) -> usize {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let of_file = maps.lines().skip_while(|line| !line.ends_with(path.to_str().unwrap()));
    let line = of_file.skip(1).find(|line| line.starts_with("Rss:")).expect("the file is mapped");
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

/// Packed weights are held neither as unpacked floats nor as resident pages of the file.
#[cfg(target_os = "linux")]
#[test]
fn stored_weights_are_held_once() {
    let dir = tempfile::tempdir().unwrap();
    for (name, halves) in [("f16", true), ("f32", false)] {
        let mut net = Net::new();
        let mut y = net.input(REAL, &[1, 512]);
        for _ in 0..4 {
            let weights = if halves { net.halves(&[512, 512]) } else { net.weights(&[512, 512]) };
            y = net.node("FULLY_CONNECTED", &[&y, &weights], REAL, None);
        }
        net.graph.outputs.push(y.index);
        net.model.subgraph(net.graph);
        let path = dir.path().join(name);
        let file = net.model.finish();
        std::fs::write(&path, &file).unwrap();
        // SAFETY: the file is in this test's temporary folder, and nothing writes to it.
        let model = unsafe { Model::map_file(&path) }.unwrap();
        let mut interpreter =
            Interpreter::builder(&model).delegate(DelegateConfig::new("cpu")).build().unwrap();
        interpreter.allocate().unwrap();
        let (pages, copies) = (resident(&path), interpreter.memory_use().persistent);
        assert!(pages < file.len() / 8, "{name}: {pages} bytes of {} stay in memory", file.len());
        assert!(copies < 1 << 16, "{name}: {copies} bytes of constants were computed");
    }
}

#[test]
fn attention_reads_heads_without_a_transpose() {
    let mut net = Net::new();
    let (tokens, heads, depth) = (6, 3, 8);
    let [q, k, v] = [0; 3].map(|_| net.input(REAL, &[1, tokens, heads * depth]));
    let mut split = |x: &Value, order: &[i32]| {
        let x = net.reshape(x, &[1, tokens, heads, depth]);
        net.transpose(&x, order)
    };
    let q = split(&q, &[0, 2, 1, 3]);
    let k = split(&k, &[0, 2, 3, 1]);
    let v = split(&v, &[0, 2, 1, 3]);
    let scores = net.node("BATCH_MATMUL", &[&q, &k], REAL, None);
    let weights =
        net.node("SOFTMAX", &[&scores], REAL, Some(Attributes::of(|o| o.set(SoftmaxOptions::BETA, 1.0))));
    let mixed = net.node("BATCH_MATMUL", &[&weights, &v], REAL, None);
    let together = net.transpose(&mixed, &[0, 2, 1, 3]);
    let y = net.reshape(&together, &[1, tokens, heads * depth]);
    assert_eq!(steps(&net.finish(&y)), ["BATCH_MATMUL", "SOFTMAX", "BATCH_MATMUL"]);
}

#[test]
fn layers_with_results_larger_than_the_cache_run_in_row_blocks() {
    let mut net = Net::new();
    let x = net.input(REAL, &[1, 112, 112, 16]);
    let a = net.conv(&x, 1, 1, [16, 96]);
    let padded = net.pad(&a, [[0, 0], [0, 1], [0, 1], [0, 0]]);
    let b = net.depthwise(&padded, 3, 2, 96);
    let y = net.conv(&b, 1, 1, [96, 24]);
    let steps = steps(&net.finish(&y));
    assert!(steps == ["cascade"] || cfg!(not(target_arch = "x86_64")), "{steps:?}");
}

#[test]
fn means_over_one_pixel_round_like_means_over_many() {
    for size in [1, 2] {
        let mut net = Net::new();
        // Every other sum is a tie. It rounds up in full blocks of sixteen channels, and away from zero in the others.
        let x = net.input(Kind::I8(0.03125, -128), &[5, 1, size, 20]);
        let axes = net.integers(&[1, 2]);
        let keeps = Attributes::of(|o| o.set(ReducerOptions::KEEP_DIMS, true));
        let y = net.node("MEAN", &[&x, &axes], Kind::I8(0.0625, 0), Some(keeps));
        assert!(steps(&net.finish(&y)).contains(&"MEAN".to_owned()), "{size}");
    }
}

#[test]
fn per_channel_quantized_pads_are_zero_too() {
    let mut net = Net::new();
    let rows = Tensor::new("", INT8, &[2, 9, 10, 4]).per_channel(&[0.02, 0.04], &[-3, 7], 0);
    let x = Value { index: net.graph.input(rows), kind: Kind::I8(0.05, -64) };
    let y = net.pad(&x, PAD_ROWS_AND_COLUMNS);
    assert_eq!(steps(&net.finish(&y)), ["pad"]);
}

#[test]
fn a_chain_reads_its_first_operand_again_through_a_reshape() {
    let mut net = Net::new();
    let x = net.input(REAL, &[8, 9]);
    let a = net.of_one("ABS", &x);
    let (renamed, row) = (net.reshape(&a, &[8, 9]), net.weights(&[8, 9]));
    let larger = net.of_two("MAXIMUM", &renamed, &row);
    let squares = net.of_two("SQUARED_DIFFERENCE", &larger, &a);
    let y = net.of_one("LOG_SOFTMAX", &squares);
    assert_eq!(steps(&net.finish(&y)).len(), 3);
}

#[test]
fn a_pad_may_have_a_value() {
    let mut net = Net::new();
    let x = net.input(REAL, &[2, 9, 10, 5]);
    let (pads, value) = (net.list(&[4, 2], PAD_ROWS_AND_COLUMNS.as_flattened()), net.real(&[], &[-1.5]));
    let y = net.node("PAD", &[&x, &pads, &value], REAL, None);
    assert_eq!(steps(&net.finish(&y)), ["pad"]);
}

/// Bytes of the arena with the CPU delegate on one thread.
fn arena(model: &Model) -> u64 {
    let mut interpreter = Interpreter::builder(model).threads(1).build().unwrap();
    interpreter.allocate().unwrap();
    interpreter.memory_use().arena
}

#[test]
fn quantized_layers_with_large_results_run_in_row_blocks() {
    let kind = Kind::I8(0.05, -3);
    let mut net = Net::new();
    let x = net.input(kind, &[2, 48, 40, 8]);
    let options = |stride| {
        Attributes::of(|o| {
            o.set(Conv2DOptions::PADDING, padding::SAME)
                .set(Conv2DOptions::STRIDE_W, stride)
                .set(Conv2DOptions::STRIDE_H, stride)
        })
    };
    let (filter, bias) = (net.bytes(&[90, 1, 1, 8], 0), net.list(&[90], &[50; 90]));
    let a = net.node("CONV_2D", &[&x, &filter, &bias], kind, Some(options(1)));
    let (filter, bias) = (net.bytes(&[1, 3, 3, 90], 3), net.list(&[90], &[-7; 90]));
    let depthwise = Attributes::of(|o| {
        o.set(DepthwiseConv2DOptions::PADDING, padding::SAME)
            .set(DepthwiseConv2DOptions::STRIDE_W, 2)
            .set(DepthwiseConv2DOptions::STRIDE_H, 2)
            .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1)
    });
    let b = net.node("DEPTHWISE_CONV_2D", &[&a, &filter, &bias], kind, Some(depthwise));
    let (filter, bias) = (net.bytes(&[16, 3, 3, 90], 0), net.list(&[16], &[9; 16]));
    let y = net.node("CONV_2D", &[&b, &filter, &bias], kind, Some(options(1)));
    let model = net.finish(&y);
    assert_eq!(steps(&model), ["flip signs", "cascade", "CONV_2D"]);
    let large = 2 * 48 * 40 * 90;
    assert!(arena(&model) < large, "{} bytes of {large}", arena(&model));
}

/// Without overlapping results and operands, each network would need as much memory as the sum of its tensors.
#[test]
fn results_overwrite_the_operands_they_no_longer_need() {
    // A Winograd convolution runs one block of tiles after another.
    let mut net = Net::new();
    let x = net.input(REAL, &[1, 8, 8, 32]);
    let size = net.integers(&[130, 130]);
    let wide = net.node("RESIZE_NEAREST_NEIGHBOR", &[&x, &size], REAL, None);
    let a = net.conv(&wide, 3, 1, [32, 32]);
    let y = net.mean(&a);
    let model = net.finish(&y);
    assert_eq!(steps(&model)[1..], ["CONV_2D, Winograd", "sum"]);
    let [wide, a, scratch] = [130 * 130 * 128, 128 * 128 * 128, 2 << 20];
    assert!(arena(&model) < wide + a / 2 + scratch, "{} bytes", arena(&model));

    // A concatenation of two tensors runs in blocks of rows.
    let mut net = Net::new();
    let x = net.input(REAL, &[1, 64, 64, 16]);
    let (a, b) = (net.conv(&x, 1, 1, [16, 40]), net.conv(&x, 1, 1, [16, 24]));
    let both = net.node(
        "CONCATENATION",
        &[&a, &b],
        REAL,
        Some(Attributes::of(|o| o.set(ConcatenationOptions::AXIS, 3))),
    );
    let y = net.mean(&both);
    let model = net.finish(&y);
    assert_eq!(steps(&model), ["CONV_2D", "CONV_2D", "concatenation", "sum"]);
    let separate = 64 * 64 * 4 * (16 + 40 + 24 + 64 + 1);
    assert!(arena(&model) < separate - 64 * 64 * 4 * 24, "{} bytes of {separate}", arena(&model));

    // A sum overwrites an operand that no later node reads.
    let mut net = Net::new();
    let x = net.input(REAL, &[1, 64, 64, 16]);
    let (a, b) = (net.of_one("TANH", &x), net.conv(&x, 1, 1, [16, 16]));
    let sum = net.of_two("ADD", &b, &a);
    let y = net.mean(&sum);
    let model = net.finish(&y);
    assert_eq!(steps(&model), ["elementwise", "CONV_2D", "sum"]);
    let separate = 64 * 64 * 4 * (16 + 16 + 16 + 1);
    assert!(arena(&model) < separate - 64 * 64 * 4 * 14, "{} bytes of {separate}", arena(&model));
}
