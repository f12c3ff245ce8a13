//! Small random networks of ops that may share memory with their inputs: several readers per value, many outputs,
//! slices and concatenations.

use arenite_abi::schema::{
    ConcatenationOptions, Conv2DOptions, DepthwiseConv2DOptions, Pool2DOptions, ReshapeOptions,
    SlidingWindow, SplitOptions, padding,
};
use arenite_model::tensor_type::{FLOAT32, INT8, INT32};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_tests::options::{Attributes, Fields, WithOptions};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Height, width, channels.
type Shape = [i32; 3];

struct Network {
    random: Random,
    model: ModelBuilder,
    graph: SubGraph,
    quantized: bool,
    /// Tensors, and whether a node reads them.
    values: Vec<(i32, Shape, bool)>,
}

/// The `n`th network of floats or 8-bit integers.
pub(crate) fn random(seed: u64) -> Vec<u8> {
    let (model, graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let quantized = seed % 3 == 2;
    let mut network = Network { random: Random(seed), model, graph, quantized, values: Vec::new() };
    for _ in 0..=network.random.below(2) {
        let x = network.tensor([8, 8, 16]);
        network.graph.inputs.push(x);
    }
    for _ in 0..network.random.one_of(&[3, 6, 10, 16, 24]) {
        network.grow();
    }
    // Results that no node reads are outputs; a result that is read may be one as well.
    let read = network.random.below(network.values.len());
    let outputs = network.values.iter().enumerate().filter(|(i, (_, _, is_read))| !is_read || *i == read);
    network.graph.outputs = outputs.map(|(_, (tensor, ..))| *tensor).collect();
    network.model.subgraph(network.graph);
    network.model.finish()
}

impl Network {
    fn tensor(&mut self, shape: Shape) -> i32 {
        let [h, w, c] = shape;
        let name = format!("t{}", self.values.len());
        let tensor = match self.quantized {
            true => Tensor::new(&name, INT8, &[1, h, w, c]).quantized(1.0 / 128.0, 0),
            false => Tensor::new(&name, FLOAT32, &[1, h, w, c]),
        };
        let tensor = self.graph.tensor(tensor);
        self.values.push((tensor, shape, false));
        tensor
    }

    fn integers(&mut self, shape: &[i32], values: &[i32]) -> i32 {
        let buffer = self.model.buffer(bytes_of(values));
        self.graph.tensor(Tensor::new("integers", INT32, shape).buffer(buffer))
    }

    fn weights(&mut self, shape: &[i32]) -> i32 {
        let count: i32 = shape.iter().product();
        let number = |i: i32| (i * 29 + i / 7) % 61 - 30;
        let (data, ty) = match self.quantized {
            true => ((0..count).map(|i| number(i) as u8).collect(), INT8),
            false => (bytes_of(&(0..count).map(|i| number(i) as f32 / 128.0).collect::<Vec<_>>()), FLOAT32),
        };
        let buffer = self.model.buffer(data);
        let weights = Tensor::new("weights", ty, shape).buffer(buffer);
        self.graph.tensor(if self.quantized { weights.quantized(1.0 / 128.0, 0) } else { weights })
    }

    fn bias(&mut self, count: i32) -> i32 {
        let buffer = self.model.buffer(vec![0; 4 * count as usize]);
        let bias = Tensor::new("bias", if self.quantized { INT32 } else { FLOAT32 }, &[count]).buffer(buffer);
        self.graph.tensor(if self.quantized { bias.quantized(1.0 / 16384.0, 0) } else { bias })
    }

    /// Picks recent values most often.
    fn pick(&mut self) -> usize {
        let back = self.random.one_of(&[1, 1, 1, 2, 2, 3, 5, 8]);
        self.values.len() - back.min(self.values.len())
    }

    fn node(&mut self, op: &str, inputs: &[i32], outputs: &[i32], options: Option<Attributes>) {
        for (tensor, _, is_read) in &mut self.values {
            *is_read |= inputs.contains(tensor);
        }
        let code = self.model.builtin(op, 1);
        let node = Operator::new(code, inputs, outputs);
        self.graph.operator(match options.or_else(|| Attributes::defaults(op)) {
            Some(options) => node.with(options),
            None => node,
        });
    }

    /// Adds a node, unless the value that was picked does not suit it.
    fn grow(&mut self) {
        let (x, shape, _) = {
            let i = self.pick();
            self.values[i]
        };
        let [h, w, c] = shape;
        match self.random.below(12) {
            0 | 1 => self.elementwise(x, shape),
            2 => {
                let reshaped = self.random.one_of(&[[w, h, c], [h * w, 1, c], [1, h * w, c]]);
                let y = self.tensor(reshaped);
                self.node(
                    "RESHAPE",
                    &[x],
                    &[y],
                    Some(Attributes::of(|o| {
                        o.set(ReshapeOptions::NEW_SHAPE, &[1, reshaped[0], reshaped[1], c])
                    })),
                );
            }
            3 | 4 => self.convolution(x, shape),
            5 => self.pool(x, shape),
            6 if h + 2 <= 12 && w + 2 <= 12 => {
                let y = self.tensor([h + 2, w + 2, c]);
                let paddings = self.integers(&[4, 2], &[0, 0, 1, 1, 1, 1, 0, 0]);
                self.node("PAD", &[x, paddings], &[y], None);
            }
            7 | 8 => self.concatenation(x, shape),
            9 if h % 2 == 0 => {
                let axis = self.integers(&[], &[1]);
                let halves = [self.tensor([h / 2, w, c]), self.tensor([h / 2, w, c])];
                self.node(
                    "SPLIT",
                    &[axis, x],
                    &halves,
                    Some(Attributes::of(|o| o.set(SplitOptions::NUM_SPLITS, 2))),
                );
            }
            10 if h > 1 => {
                let first = self.random.below(h as usize - 1) as i32;
                let y = self.tensor([h - 1 - first, w, c]);
                let begin = self.integers(&[4], &[0, first, 0, 0]);
                let size = self.integers(&[4], &[1, h - 1 - first, w, c]);
                self.node("SLICE", &[x, begin, size], &[y], None);
            }
            11 if h <= 6 && w <= 6 => {
                let y = self.tensor([2 * h, 2 * w, c]);
                let size = self.integers(&[2], &[2 * h, 2 * w]);
                self.node("RESIZE_NEAREST_NEIGHBOR", &[x, size], &[y], None);
            }
            _ => {}
        }
    }

    fn elementwise(&mut self, x: i32, shape: Shape) {
        let like = |(_, other, _): &&(i32, Shape, bool)| *other == shape;
        let others: Vec<i32> =
            self.values.iter().rev().filter(like).take(4).map(|(tensor, ..)| *tensor).collect();
        let op = self.random.one_of(&["RELU", "NEG", "ADD", "MUL", "SUB"]);
        let other = self.random.one_of(&others);
        let y = self.tensor(shape);
        match op {
            "RELU" | "NEG" => self.node(op, &[x], &[y], None),
            _ => self.node(op, &[x, other], &[y], None),
        }
    }

    /// A 3 × 3 or 1 × 1 convolution, padding SAME.
    fn convolution(&mut self, x: i32, [h, w, c]: Shape) {
        let (stride, filter) = (self.random.one_of(&[1, 1, 2]), self.random.one_of(&[1, 3]));
        let depthwise = self.random.below(3) == 0;
        let out = if depthwise { c } else { self.random.one_of(&[16, 32]) };
        let y = self.tensor([(h + stride - 1) / stride, (w + stride - 1) / stride, out]);
        let bias = self.bias(out);
        if depthwise {
            let weights = self.weights(&[1, filter, filter, c]);
            self.node(
                "DEPTHWISE_CONV_2D",
                &[x, weights, bias],
                &[y],
                Some(Attributes::of(|o| strides(o, stride).set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1))),
            );
        } else {
            let weights = self.weights(&[out, filter, filter, c]);
            self.node(
                "CONV_2D",
                &[x, weights, bias],
                &[y],
                Some(Attributes::of(|o| strides::<Conv2DOptions>(o, stride))),
            );
        }
    }

    /// A 3 × 3 window with stride 1, or 2 × 2 with stride 2.
    fn pool(&mut self, x: i32, [h, w, c]: Shape) {
        let op = self.random.one_of(&["MAX_POOL_2D", "AVERAGE_POOL_2D"]);
        let (stride, filter) = self.random.one_of(&[(1, 3), (2, 2)]);
        let y = self.tensor([(h + stride - 1) / stride, (w + stride - 1) / stride, c]);
        let options = Attributes::of(|o| {
            strides(o, stride)
                .set(Pool2DOptions::FILTER_WIDTH, filter)
                .set(Pool2DOptions::FILTER_HEIGHT, filter)
        });
        self.node(op, &[x], &[y], Some(options));
    }

    /// Along rows, where the parts are contiguous, or along channels, where they are not.
    fn concatenation(&mut self, x: i32, shape: Shape) {
        let axis = self.random.one_of(&[0, 0, 2]);
        let fits = |other: &Shape| (0..3).all(|i| i == axis || other[i] == shape[i]);
        let others: Vec<(i32, Shape, bool)> = self.values.iter().filter(|v| fits(&v.1)).copied().collect();
        let (other, joined, _) = self.random.one_of(&others);
        let mut result = shape;
        result[axis] += joined[axis];
        if result[axis] <= 64 {
            let y = self.tensor(result);
            self.node(
                "CONCATENATION",
                &[x, other],
                &[y],
                Some(Attributes::of(|o| o.set(ConcatenationOptions::AXIS, axis as i32 + 1))),
            );
        }
    }
}

/// Sets padding SAME and the stride along both axes.
fn strides<T: SlidingWindow>(o: Fields<T>, stride: i32) -> Fields<T> {
    let [rows, columns] = T::STRIDES;
    o.set(T::PADDING, padding::SAME).set(rows, stride).set(columns, stride)
}
