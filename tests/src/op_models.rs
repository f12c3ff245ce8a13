//! Small valid models of one node each, which tests of malformed models modify.

pub mod control;
mod table;

use arenite_abi::schema::{DensifyOptions, OptionsTable, Pool2DOptions, padding};
use arenite_model::builtin_operator_name;
use arenite_model::tensor_type::{FLOAT32, INT8, INT32};
use arenite_model::writer::{Level, ModelBuilder, Operator, Sparsity, SubGraph, Tensor, bytes_of};

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

    /// Adds an input that the caller sets.
    pub fn feed(mut self, tensor: Tensor) -> Self {
        self.node.inputs.push(self.graph.input(tensor));
        self
    }

    /// Adds a constant input.
    pub fn constant(mut self, tensor: Tensor, data: impl Into<Vec<u8>>) -> Self {
        let buffer = self.model.buffer(data);
        self.node.inputs.push(self.graph.tensor(tensor.buffer(buffer)));
        self
    }

    /// Adds an input that is state of the node.
    pub fn variable(mut self, tensor: Tensor) -> Self {
        self.node.inputs.push(self.graph.tensor(tensor.variable()));
        self
    }

    /// Leaves the next input absent.
    pub fn absent(mut self) -> Self {
        self.node.inputs.push(-1);
        self
    }

    /// Adds an intermediate tensor.
    pub fn intermediate(mut self, tensor: Tensor) -> Self {
        self.node.intermediates.push(self.graph.tensor(tensor));
        self
    }

    /// Adds an output.
    pub fn output(mut self, tensor: Tensor) -> Self {
        self.node.outputs.push(self.graph.output(tensor));
        self
    }

    /// Sets the node's options.
    pub fn options<T: OptionsTable>(mut self, fill: impl FnOnce(Fields<T>) -> Fields<T>) -> Self {
        self.node = self.node.with_options(fill);
        self
    }

    /// Sets the op's options table, with all fields at their defaults.
    pub fn defaults(self) -> Self {
        let code = self.model.operator_codes[0].code;
        let op = builtin_operator_name(code).expect("a builtin op");
        self.options_text(op, "()")
    }

    /// Sets the op's options, `name=value` each with the schema's names.
    fn options_text(mut self, op: &str, text: &str) -> Self {
        self.node = self.node.with(Attributes::parse(op, text));
        self
    }

    /// Sets the required version of the op.
    fn version(mut self, version: i32) -> Self {
        self.model.operator_codes[0].version = version;
        self
    }

    /// Sets the attributes of a custom op.
    pub fn custom_options(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.node = self.node.custom_options(bytes);
        self
    }

    /// The finished model.
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
    /// The model. Its inputs may have any values, for instance zeros,
    pub model: ModelBuilder,
    /// except for these: position and data.
    pub inputs: Vec<(usize, Vec<u8>)>,
}

/// One valid model per builtin op and kind of element: those of the tables of nodes of the reference ops and of flex
/// ops, and models of several nodes or subgraphs.
pub fn all() -> Vec<Sound> {
    let mut models = table::models();
    models.push(sound("DENSIFY", densify()));
    control::add(&mut models);
    models
}

/// A constant that is stored sparsely.
fn densify() -> ModelBuilder {
    let stored = f32("x", &[2, 2]).sparse(Sparsity {
        traversal_order: vec![0, 1],
        block_map: vec![],
        levels: vec![Level::Dense(2), Level::Sparse { segments: vec![0, 1, 2], indices: vec![1, 0] }],
    });
    let densify = OneOp::new("DENSIFY").constant(stored, bytes_of(&[7.0f32, 8.0]));
    densify.output(f32("y", &[2, 2])).options::<DensifyOptions>(|o| o).model()
}

type Models = Vec<Sound>;

fn sound(op: &'static str, model: ModelBuilder) -> Sound {
    Sound { op, model, inputs: Vec::new() }
}
