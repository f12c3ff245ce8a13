//! The tables of an embedded model.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use arenite_abi::ElementType;
use arenite_abi::plain::PointerWidth;

use crate::ops::OpRegistration;

/// An op with the names of its `eval`.
pub struct EmbeddableOp {
    /// The op.
    pub op: OpRegistration,
    /// The name of `eval` in `libarenite_micro.a`; empty for an op that names its own function.
    pub kernel: String,
    /// The path of its type in Rust; empty for an op that names its own function.
    pub path: String,
}

impl EmbeddableOp {
    /// A reference op, by its path in `arenite-ops`, from which its symbol is derived.
    pub fn of_path(op: OpRegistration, path: &str) -> Self {
        let module = path.rsplit("::").nth(1).unwrap_or(path);
        let kernel = format!("ar_embed_{}", module.trim_start_matches("r#"));
        EmbeddableOp { op, kernel, path: format!("arenite_ops::{path}") }
    }

    /// An op that names its own function.
    pub fn of_plugin(op: OpRegistration) -> Self {
        EmbeddableOp { op, kernel: String::new(), path: String::new() }
    }
}

/// Where the bytes of a tensor or a buffer are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It has none.
    Nowhere,
    /// At this offset in the arena.
    Arena(usize),
    /// The constant with this number.
    Constant(usize),
    /// At this offset in the block of variables.
    Variable(usize),
}

/// The scales of a tensor.
pub(crate) struct Scales {
    pub scales: Vec<f32>,
    pub zero_points: Vec<i64>,
    pub dimension: i32,
    pub block_size: i32,
}

pub(crate) struct Tensor {
    pub name: String,
    pub ty: ElementType,
    pub shape: Vec<i32>,
    pub bytes: usize,
    pub flags: u32,
    pub place: Place,
    pub scales: Option<Scales>,
}

/// A port whose elements are known.
pub(crate) struct Port {
    pub ty: ElementType,
    pub count: usize,
    pub at: Place,
}

pub(crate) struct Buffer {
    pub place: Place,
    pub bytes: usize,
}

/// Read-only bytes that are a list of this type.
pub(crate) struct Constant {
    pub ty: ElementType,
    pub bytes: Vec<u8>,
}

/// A part of the block of variables, with its first value.
pub(crate) struct Variable {
    pub at: usize,
    pub first: Vec<u8>,
}

/// A subgraph. Subgraphs that no node calls have no nodes and no ports.
pub(crate) struct Graph {
    /// Its nodes in the list of all nodes; `None` if no node calls it.
    pub nodes: Option<Range<usize>>,
    /// Numbers of tensors.
    pub inputs: Vec<i32>,
    pub outputs: Vec<i32>,
}

/// A variable that nodes name, with two offsets in the block of variables: its memory, and its type and shape.
pub(crate) struct Resource {
    pub name: Vec<u8>,
    pub at: usize,
    pub capacity: usize,
    pub value_at: usize,
}

impl Resource {
    /// Room for an `ArEmbeddedValue` on machines with pointers of up to 64 bits.
    pub(super) const VALUE_BYTES: usize = 48;
}

/// What nodes see of the model: subgraphs and variables.
pub(crate) struct ModelTables {
    pub graphs: Vec<Graph>,
    /// By handle.
    pub resources: Vec<Resource>,
    /// Memory in the arena for outputs that are copied to inputs of the same subgraph.
    pub saved_at: usize,
    pub saved_bytes: usize,
    /// Offset of the number of calls left, in the block of variables.
    pub calls_at: usize,
}

#[derive(Default)]
pub(crate) struct Node {
    /// Name of the op, for comments.
    pub op: String,
    /// The C function that runs the node.
    pub kernel: String,
    /// The op's type in Rust, whose `eval` that function is; empty if it is another function.
    pub path: String,
    pub code: i32,
    pub version: i32,
    pub index: usize,
    pub subgraph: usize,
    /// Numbers of tensors; −1 for an absent one.
    pub inputs: Vec<i32>,
    pub outputs: Vec<i32>,
    pub intermediates: Vec<i32>,
    /// Inputs and outputs whose memory is known.
    pub ports: Vec<Option<Port>>,
    pub state: Vec<u8>,
    pub state_alignment: usize,
    pub custom_options: Vec<u8>,
    pub persistent: Vec<Buffer>,
    pub scratch: Vec<Buffer>,
    /// Whether it may call subgraphs and use variables.
    pub is_stateful: bool,
}

/// A model for a program that only runs it.
pub struct Embedding {
    pub(super) width: PointerWidth,
    pub(super) arena: usize,
    pub(super) variable_bytes: usize,
    pub(super) tensors: Vec<Tensor>,
    /// The nodes of all subgraphs, the main one first.
    pub(super) nodes: Vec<Node>,
    /// The number of nodes of the main subgraph.
    pub(super) main: usize,
    pub(super) model: Option<ModelTables>,
    pub(super) inputs: Vec<usize>,
    pub(super) outputs: Vec<usize>,
    pub(super) constants: Vec<Constant>,
    pub(super) variables: Vec<Variable>,
}

impl Embedding {
    /// The number of nodes, of all subgraphs.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The C function that runs each node, with the schema's number of its op.
    pub fn kernels(&self) -> impl Iterator<Item = (i32, &str)> {
        self.nodes.iter().map(|node| (node.code, node.kernel.as_str()))
    }

    /// Size of the arena in bytes.
    pub fn arena_bytes(&self) -> usize {
        self.arena
    }

    /// Size of variables and states in bytes.
    pub fn variable_bytes(&self) -> usize {
        self.variable_bytes
    }

    /// The bytes of all constants, tables and states.
    pub fn constant_bytes(&self) -> usize {
        let constants: usize = self.constants.iter().map(|constant| constant.bytes.len()).sum();
        constants + self.nodes.iter().map(|node| node.state.len()).sum::<usize>()
    }
}
