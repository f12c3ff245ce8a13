//! Networks of any batch, height and width, with random weights.

use arenite::Model;
use arenite::model_file::tensor_type::{BOOL, FLOAT16, FLOAT32, INT8, INT32};
use arenite::model_file::writer::{ModelBuilder, Operator, Options, SubGraph, Tensor, bytes_of};

/// How tensors and weights are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    F32,
    /// Half-precision weights, followed by a DEQUANTIZE.
    F16,
    /// 8-bit weights, float values.
    Hybrid,
    I8,
}

pub(crate) const FORMS: [Form; 4] = [Form::F32, Form::F16, Form::Hybrid, Form::I8];

/// A network under construction; nodes are in execution order.
struct Net {
    model: ModelBuilder,
    graph: SubGraph,
    form: Form,
    seed: u64,
}

/// A window: taps per side, stride.
type Window = [i32; 2];

const SAME: i8 = 0;
const RELU6: i8 = 3;

impl Net {
    fn new(form: Form) -> Net {
        Net { model: ModelBuilder::new(), graph: SubGraph::new("main"), form, seed: 1 }
    }

    /// Between -1 and 1.
    fn random(&mut self) -> f32 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn input(&mut self, shape: &[i32]) -> i32 {
        let tensor = self.value(shape);
        self.graph.input(tensor)
    }

    fn value(&self, shape: &[i32]) -> Tensor {
        match self.form {
            Form::I8 => Tensor::new("", INT8, shape).quantized(0.05, -10),
            _ => Tensor::new("", FLOAT32, shape),
        }
    }

    /// Weights whose channels are along `axis`.
    fn weights(&mut self, shape: &[i32], axis: i32) -> i32 {
        let len = shape.iter().product::<i32>();
        let reach = (len / shape[axis as usize]) as f32;
        let data: Vec<f32> = (0..len).map(|_| self.random() * 1.5 / reach.sqrt()).collect();
        match self.form {
            Form::F32 => self.constant(Tensor::new("", FLOAT32, shape), bytes_of(&data)),
            Form::F16 => {
                let halves: Vec<u16> = data.iter().map(|&x| half::f16::from_f32(x).to_bits()).collect();
                let halves = self.constant(Tensor::new("", FLOAT16, shape), bytes_of(&halves));
                let output = self.graph.tensor(Tensor::new("", FLOAT32, shape));
                self.add("DEQUANTIZE", &[halves], output, None)
            }
            Form::Hybrid | Form::I8 => {
                let channels = shape[axis as usize] as usize;
                let scales: Vec<f32> =
                    (0..channels).map(|_| (1.5 + 0.3 * self.random()) / reach.sqrt() / 127.0).collect();
                let bytes: Vec<u8> = (0..len).map(|_| (self.random() * 127.0) as i8 as u8).collect();
                self.constant(
                    Tensor::new("", INT8, shape).per_channel(&scales, &vec![0; channels], axis),
                    bytes,
                )
            }
        }
    }

    fn bias(&mut self, channels: i32) -> i32 {
        let data: Vec<f32> = (0..channels).map(|_| self.random()).collect();
        let integers: Vec<i32> = data.iter().map(|x| (x * 500.0) as i32).collect();
        match self.form {
            Form::I8 => self.constant(Tensor::new("", INT32, &[channels]), bytes_of(&integers)),
            _ => self.constant(Tensor::new("", FLOAT32, &[channels]), bytes_of(&data)),
        }
    }

    fn constant(&mut self, tensor: Tensor, data: Vec<u8>) -> i32 {
        let buffer = self.model.buffer(data);
        self.graph.tensor(tensor.buffer(buffer))
    }

    fn add(
        &mut self,
        op: &str,
        inputs: &[i32],
        output: i32,
        options: Option<(u8, &dyn Fn(Options) -> Options)>,
    ) -> i32 {
        let mut node = Operator::new(self.model.builtin(op, 1), inputs, &[output]);
        if let Some((tag, fill)) = options {
            node = node.options(tag, fill);
        }
        self.graph.operator(node);
        output
    }

    /// A node with one result; its shape is inferred by `allocate`.
    fn node(&mut self, op: &str, inputs: &[i32], options: Option<(u8, &dyn Fn(Options) -> Options)>) -> i32 {
        let output = self.value(&[]);
        let output = self.graph.tensor(output);
        self.add(op, inputs, output, options)
    }

    fn conv(&mut self, x: i32, [taps, stride]: Window, channels: [i32; 2], activation: i8) -> i32 {
        let filter = self.weights(&[channels[1], taps, taps, channels[0]], 0);
        let bias = self.bias(channels[1]);
        let options = move |o: Options| o.i8(0, SAME).i32(1, stride).i32(2, stride).i8(3, activation);
        self.node("CONV_2D", &[x, filter, bias], Some((1, &options)))
    }

    fn depthwise(&mut self, x: i32, [taps, stride]: Window, channels: i32) -> i32 {
        let filter = self.weights(&[1, taps, taps, channels], 3);
        let bias = self.bias(channels);
        let options = move |o: Options| o.i8(0, SAME).i32(1, stride).i32(2, stride).i32(3, 1).i8(4, RELU6);
        self.node("DEPTHWISE_CONV_2D", &[x, filter, bias], Some((2, &options)))
    }

    fn sum(&mut self, a: i32, b: i32) -> i32 {
        self.node("ADD", &[a, b], Some((11, &|o| o)))
    }

    /// The mean of each channel, and a product with them.
    fn head(&mut self, x: i32, channels: [i32; 2]) -> i32 {
        let axes = self.constant(Tensor::new("", INT32, &[2]), bytes_of(&[1, 2]));
        let mean = self.node("MEAN", &[x, axes], Some((27, &|o| o)));
        let weights = self.weights(&[channels[1], channels[0]], 0);
        let bias = self.bias(channels[1]);
        self.node("FULLY_CONNECTED", &[mean, weights, bias], Some((8, &|o| o)))
    }

    fn integer(&mut self, number: i32) -> i32 {
        self.constant(Tensor::new("", INT32, &[]), bytes_of(&[number]))
    }

    /// `x · w` with random weights.
    fn product(&mut self, x: i32, [depth, columns]: [i32; 2]) -> i32 {
        let weights = self.weights(&[columns, depth], 0);
        self.node("FULLY_CONNECTED", &[x, weights, -1], Some((8, &|o| o)))
    }

    /// The values that a loop carries: a counter, rows, a state.
    fn ports(&mut self) -> [i32; 3] {
        let tensors = [Tensor::new("", INT32, &[]), self.value(&[ROUNDS, 1, 5]), self.value(&[1, 24])];
        tensors.map(|tensor| self.graph.input(tensor))
    }

    fn finish(mut self, y: i32) -> Model {
        self.graph.outputs.push(y);
        self.model.subgraph(self.graph);
        Model::from_bytes(self.model.finish()).expect("the model is sound")
    }
}

/// MobileNet V2, with a quarter of its channels.
pub(crate) fn mobilenet_v2(form: Form) -> Model {
    let mut net = Net::new(form);
    let x = net.input(&[1, 96, 96, 3]);
    let mut y = net.conv(x, [3, 2], [3, 8], RELU6);
    let mut channels = 8;
    for (expand, out, count, stride) in
        [(1, 4, 1, 1), (6, 6, 2, 2), (6, 8, 3, 2), (6, 16, 4, 2), (6, 24, 3, 1), (6, 40, 3, 2), (6, 80, 1, 1)]
    {
        for i in 0..count {
            let (x, wide) = (y, channels * expand);
            let expanded = if expand > 1 { net.conv(x, [1, 1], [channels, wide], RELU6) } else { x };
            let filtered = net.depthwise(expanded, [3, if i == 0 { stride } else { 1 }], wide);
            y = net.conv(filtered, [1, 1], [wide, out], 0);
            if i > 0 {
                y = net.sum(x, y);
            }
            channels = out;
        }
    }
    y = net.conv(y, [1, 1], [80, 320], RELU6);
    y = net.head(y, [320, 100]);
    net.finish(y)
}

/// 3 × 3 filters with and without strides. Which kernel computes them depends on the image's size.
pub(crate) fn wide_windows(form: Form) -> Model {
    let mut net = Net::new(form);
    let x = net.input(&[1, 24, 24, 16]);
    let a = net.conv(x, [3, 1], [16, 48], RELU6);
    let b = net.conv(a, [3, 1], [48, 48], 0);
    let c = net.sum(a, b);
    let d = net.conv(c, [5, 2], [48, 40], RELU6);
    let e = net.depthwise(d, [5, 1], 40);
    let f = net.conv(e, [1, 1], [40, 24], 0);
    net.finish(f)
}

const ROUNDS: i32 = 7;

/// A loop over the rows of the first input, with the second input as the initial state: `h = tanh(x[i] · w + h · r)`.
pub(crate) fn recurrent(form: Form) -> Model {
    let mut main = Net::new(form);
    let (x, h) = (main.input(&[ROUNDS, 1, 5]), main.input(&[1, 24]));
    let start = main.integer(0);
    let ends = [Tensor::new("", INT32, &[]), main.value(&[ROUNDS, 1, 5]), main.value(&[1, 24])];
    let ends = ends.map(|tensor| main.graph.tensor(tensor));
    let code = main.model.builtin("WHILE", 1);
    let operator = Operator::new(code, &[start, x, h], &ends).options(93, |o| o.i32(0, 1).i32(1, 2));
    main.graph.operator(operator);
    main.graph.outputs.push(ends[2]);

    let Net { model, graph: main, seed, .. } = main;
    let mut condition = Net { model, graph: SubGraph::new("condition"), form, seed };
    let [i, _, _] = condition.ports();
    let (limit, less) = (condition.integer(ROUNDS), condition.graph.output(Tensor::new("", BOOL, &[])));
    condition.add("LESS", &[i, limit], less, None);

    let Net { model, graph: condition, seed, .. } = condition;
    let mut body = Net { model, graph: SubGraph::new("body"), form, seed };
    let [i, x, h] = body.ports();
    let row = body.node("GATHER", &[x, i], Some((23, &|o| o)));
    let (a, b) = (body.product(row, [5, 24]), body.product(h, [24, 24]));
    let sum = body.sum(a, b);
    let state = body.node("TANH", &[sum], None);
    let (one, next) = (body.integer(1), body.graph.tensor(Tensor::new("", INT32, &[])));
    body.add("ADD", &[i, one], next, Some((11, &|o| o)));
    body.graph.outputs.extend([next, x, state]);

    let Net { mut model, graph: body, .. } = body;
    [main, condition, body].into_iter().for_each(|graph| {
        model.subgraph(graph);
    });
    Model::from_bytes(model.finish()).expect("the model is sound")
}
