//! Small sound models of one node each: where tests of malformed models begin, and what they spoil.

pub mod control;
mod custom;
mod elementwise;
mod flex;
mod misc;
mod moves;
mod pairs;
mod recurrent;
mod reductions;
mod vision;

use arenite_abi::schema::{OptionsTable, Pool2DOptions, padding};
use arenite_model::builtin_operator_name;
use arenite_model::tensor_type::{FLOAT32, INT8, INT32};
use arenite_model::writer::{ModelBuilder, Operator, Quantization, SubGraph, Tensor, bytes_of};

use crate::options::{Attributes, Fields, WithOptions};

/// A model of one node, under construction. The node is `subgraphs[0].operators[0]`.
pub struct OneOp {
    model: ModelBuilder,
    graph: SubGraph,
    node: Operator,
}

impl OneOp {
    /// A node of the builtin op with this schema name, version 1.
    pub fn new(op: &str) -> Self {
        let mut model = ModelBuilder::new();
        let node = Operator::new(model.builtin(op, 1), &[], &[]);
        OneOp { model, graph: SubGraph::new("main"), node }
    }

    /// A node of the custom op with this name, version 1.
    pub fn custom(op: &str) -> Self {
        let mut model = ModelBuilder::new();
        let node = Operator::new(model.custom(op, 1), &[], &[]);
        OneOp { model, graph: SubGraph::new("main"), node }
    }

    /// The next input, fed by the caller.
    pub fn feed(mut self, tensor: Tensor) -> Self {
        self.node.inputs.push(self.graph.input(tensor));
        self
    }

    /// The next input, a constant.
    pub fn constant(mut self, tensor: Tensor, data: impl Into<Vec<u8>>) -> Self {
        let buffer = self.model.buffer(data);
        self.node.inputs.push(self.graph.tensor(tensor.buffer(buffer)));
        self
    }

    /// The next input, state of the node.
    pub fn variable(mut self, tensor: Tensor) -> Self {
        self.node.inputs.push(self.graph.tensor(tensor.variable()));
        self
    }

    /// The next input is left out.
    pub fn absent(mut self) -> Self {
        self.node.inputs.push(-1);
        self
    }

    /// The next intermediate.
    pub fn intermediate(mut self, tensor: Tensor) -> Self {
        self.node.intermediates.push(self.graph.tensor(tensor));
        self
    }

    /// The next output.
    pub fn output(mut self, tensor: Tensor) -> Self {
        self.node.outputs.push(self.graph.output(tensor));
        self
    }

    /// The node's options.
    pub fn options<T: OptionsTable>(mut self, fill: impl FnOnce(Fields<T>) -> Fields<T>) -> Self {
        self.node = self.node.with_options(fill);
        self
    }

    /// The op's options, without fields.
    pub fn defaults(mut self) -> Self {
        let code = self.model.operator_codes[0].code;
        let options = builtin_operator_name(code).and_then(Attributes::defaults);
        self.node = self.node.with(options.expect("an op that has options"));
        self
    }

    /// The attributes of a custom op.
    pub fn custom_options(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.node = self.node.custom_options(bytes);
        self
    }

    /// The model.
    pub fn model(mut self) -> ModelBuilder {
        self.graph.operator(self.node);
        self.model.subgraph(self.graph);
        self.model
    }
}

/// A float tensor.
pub fn f32(name: &str, shape: &[i32]) -> Tensor {
    Tensor::new(name, FLOAT32, shape)
}

/// A tensor of 32-bit integers.
pub fn i32(name: &str, shape: &[i32]) -> Tensor {
    Tensor::new(name, INT32, shape)
}

/// An 8-bit tensor with scale 1/128 and zero point 0.
pub fn i8(name: &str, shape: &[i32]) -> Tensor {
    Tensor::new(name, INT8, shape).quantized(1.0 / 128.0, 0)
}

/// A pool without padding.
pub fn pool(stride: i32, filter: i32) -> impl FnOnce(Fields<Pool2DOptions>) -> Fields<Pool2DOptions> {
    move |o| {
        o.set(Pool2DOptions::PADDING, padding::VALID)
            .set(Pool2DOptions::STRIDE_W, stride)
            .set(Pool2DOptions::STRIDE_H, stride)
            .set(Pool2DOptions::FILTER_WIDTH, filter)
            .set(Pool2DOptions::FILTER_HEIGHT, filter)
    }
}

/// A model that runs.
pub struct Sound {
    /// The op.
    pub op: &'static str,
    /// The model; its inputs may hold anything, zeros for instance,
    pub model: ModelBuilder,
    /// apart from these: position and data.
    pub inputs: Vec<(usize, Vec<u8>)>,
}

/// One sound model per builtin op and kind of element.
pub fn all() -> Vec<Sound> {
    let mut models = Vec::new();
    elementwise::add(&mut models);
    misc::add(&mut models);
    control::add(&mut models);
    recurrent::add(&mut models);
    reductions::add(&mut models);
    moves::add(&mut models);
    custom::add(&mut models);
    pairs::add(&mut models);
    vision::add(&mut models);
    flex::add(&mut models);
    models
}

type Models = Vec<Sound>;

fn sound(op: &'static str, model: ModelBuilder) -> Sound {
    Sound { op, model, inputs: Vec::new() }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Float,
    Quantized,
}

impl Kind {
    fn tensor(self, name: &str, shape: &[i32]) -> Tensor {
        match self {
            Kind::Float => f32(name, shape),
            Kind::Quantized => i8(name, shape),
        }
    }

    /// Constant data of `count` elements.
    fn data(self, count: usize) -> Vec<u8> {
        match self {
            Kind::Float => bytes_of(&(0..count).map(|i| i as f32 * 0.25 - 1.0).collect::<Vec<_>>()),
            Kind::Quantized => (0..count).map(|i| (i * 29) as u8).collect(),
        }
    }

    /// A bias of `count` zeros; its scale is the product of those of input and weights.
    fn bias(self, count: i32) -> (Tensor, Vec<u8>) {
        let data = vec![0; 4 * count as usize];
        match self {
            Kind::Float => (f32("b", &[count]), data),
            Kind::Quantized => (i32("b", &[count]).quantized(1.0 / 16384.0, 0), data),
        }
    }
}

/// The same tensor with other quantization, if it has any.
fn rescaled(mut tensor: Tensor, scale: f32, zero_point: i64) -> Tensor {
    if let Some(q) = &mut tensor.quantization {
        *q = Quantization { scale: vec![scale], zero_point: vec![zero_point], ..Default::default() };
    }
    tensor
}
