//! The graph: a subgraph of the model, each node bound to the registrations that can serve it.

mod build;
mod constants;
mod load;
mod updates;

use std::fmt;
use std::ops::{Deref, Range};

pub(crate) use load::BuildLimits;

use arenite_abi::ElementType;
use arenite_abi::raw::{
    ArBytes, ArHeader, ArNodeV1, ArQuantizationV1, ArStr, ArTable, BUILTIN_CUSTOM, OP_STATEFUL,
};
use arenite_abi::schema::op::{CALL_ONCE, IF, STABLEHLO_COMPOSITE, STABLEHLO_REDUCE, STABLEHLO_WHILE, WHILE};

use crate::arena::Block;
use crate::error::UnresolvedOp;
use crate::model::Model;
use crate::plugins::op_key::OpKey;
use crate::plugins::registry::Candidate;

/// One subgraph: the stage after the model. It does not change.
pub(crate) struct Graph {
    pub index: usize,
    /// The tensors of the subgraph, then the tensors of its composites.
    pub tensors: Vec<TensorInfo>,
    pub nodes: Vec<NodeInfo>,
    /// The nodes of each operator of the subgraph: one node, or the nodes of its composite.
    pub operators: Vec<Range<usize>>,
    pub inputs: Vec<i32>,
    pub outputs: Vec<i32>,
    pub variables: Vec<i32>,
    /// Ops that no registration serves; a delegate may still claim their nodes.
    pub unresolved: Vec<UnresolvedOp>,
    uses: Vec<Use>,
    /// Keeps the constants alive.
    _model: Model,
    /// Copies of constants that are misaligned in the file.
    _copies: Vec<Block>,
}

/// The uses of a tensor.
#[derive(Clone, Copy, Default)]
struct Use {
    last_reader: Option<usize>,
    /// The first node that reads or writes it, and whether that node reads it.
    first: Option<(usize, bool)>,
    /// A node writes it.
    written: bool,
    input: bool,
    output: bool,
}

pub(crate) struct TensorInfo {
    pub name: Name,
    pub ty: ElementType,
    pub shape: Vec<i32>,
    /// `shape` with −1 for dimensions that the caller may choose; empty if the model does not define it.
    pub shape_signature: Vec<i32>,
    pub quantization: Option<QuantizationInfo>,
    pub constant: Option<Constant>,
    pub variable: bool,
}

impl TensorInfo {
    /// Each byte of the tensor's first value if it is a variable: the zero point of i8 with one scale, else zero.
    pub(crate) fn zero_byte(&self) -> u8 {
        match &self.quantization {
            Some(q) if self.ty == ElementType::I8 && q.scales.len() == 1 => {
                q.zero_points.first().map_or(0, |&zero_point| zero_point as u8)
            }
            _ => 0,
        }
    }
}

/// A tensor's name in the model, which the graph keeps alive.
pub(crate) struct Name(Constant);

impl Name {
    /// The name of a tensor of the graph's model; it must only be used while the graph lives.
    pub(crate) fn of(tensor: &arenite_model::Tensor<'_>) -> Self {
        let text = tensor.name().unwrap_or("");
        Name(Constant { data: text.as_ptr(), length: text.len(), in_file: true })
    }

    pub(crate) fn as_str(&self) -> &str {
        // SAFETY: `Name::of` took bytes of the model that `Graph::_model` keeps alive, where they stay; a `TensorInfo`
        // never leaves its graph.
        let bytes = unsafe { std::slice::from_raw_parts(self.0.data, self.0.length) };
        std::str::from_utf8(bytes).unwrap_or("")
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

/// Bytes that the model, or a copy that the graph holds, keeps alive.
#[derive(Clone, Copy)]
pub(crate) struct Constant {
    data: *const u8,
    length: usize,
    /// Whether the model has the bytes.
    pub in_file: bool,
}

// SAFETY: read-only bytes.
unsafe impl Send for Constant {}
// SAFETY: read-only bytes.
unsafe impl Sync for Constant {}

impl Constant {
    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.data
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QuantizationInfo {
    pub scales: Vec<f32>,
    pub zero_points: Vec<i64>,
    pub dimension: i32,
    pub block_size: i32,
}

impl QuantizationInfo {
    pub(crate) fn to_raw(&self) -> ArQuantizationV1 {
        ArQuantizationV1 {
            header: ArHeader::of::<ArQuantizationV1>(),
            scales: self.scales.as_ptr(),
            scale_count: self.scales.len(),
            zero_points: self.zero_points.as_ptr(),
            zero_point_count: self.zero_points.len(),
            quantized_dimension: self.dimension,
            block_size: self.block_size,
        }
    }
}

pub(crate) struct NodeInfo {
    /// Subgraph and position of the operator in the model.
    pub origin: (usize, usize),
    pub key: OpKey,
    pub version: i32,
    pub inputs: Box<[i32]>,
    pub outputs: Box<[i32]>,
    pub intermediates: Box<[i32]>,
    /// Best first. Empty for an unresolved op.
    pub candidates: Vec<Candidate>,
    /// Position in `Graph::unresolved`, if no plugin serves the op.
    pub unresolved: Option<usize>,
    options: ArTable,
    options_2: ArTable,
    custom_options: ArBytes,
}

// SAFETY: the pointers point into the model's read-only bytes, which the graph keeps alive.
unsafe impl Send for NodeInfo {}

impl NodeInfo {
    /// Whether the node's op runs other subgraphs.
    pub(crate) fn calls_subgraphs(&self) -> bool {
        matches!(
            &self.key,
            OpKey::Builtin(IF | WHILE | CALL_ONCE | STABLEHLO_COMPOSITE | STABLEHLO_WHILE | STABLEHLO_REDUCE)
        )
    }

    /// The node as plugins get it; borrows this node and the tensor table.
    pub(crate) fn to_raw(&self, tensors: *const arenite_abi::raw::ArTensorV1, count: usize) -> ArNodeV1 {
        let (builtin_code, custom_name) = match &self.key {
            OpKey::Builtin(code) => (*code, ArStr::new("")),
            OpKey::Custom(name) => (BUILTIN_CUSTOM, ArStr::borrowed(name)),
        };
        ArNodeV1 {
            header: ArHeader::of::<ArNodeV1>(),
            builtin_code,
            version: self.version,
            custom_name,
            index: self.origin.1 as u32,
            subgraph: self.origin.0 as u32,
            tensors,
            tensor_stride: size_of::<arenite_abi::raw::ArTensorV1>(),
            tensor_count: count,
            inputs: self.inputs.as_ptr(),
            input_count: self.inputs.len(),
            outputs: self.outputs.as_ptr(),
            output_count: self.outputs.len(),
            intermediates: self.intermediates.as_ptr(),
            intermediate_count: self.intermediates.len(),
            options: self.options,
            options_2: self.options_2,
            custom_options: self.custom_options,
        }
    }
}

impl Graph {
    /// The tensor indices of `list` that are not −1, with bounds known from verification.
    pub(crate) fn present(list: &[i32]) -> impl Iterator<Item = usize> + Clone + '_ {
        list.iter().filter_map(|&t| usize::try_from(t).ok())
    }

    /// The last node that reads tensor `t`.
    pub(crate) fn last_reader(&self, t: usize) -> Option<usize> {
        self.uses[t].last_reader
    }

    /// Whether node `node` determines the shape of variable `t`: no earlier node and no caller uses the variable, nor
    /// does the node read it.
    pub(crate) fn shapes_variable(&self, node: usize, t: usize) -> bool {
        let Use { first, input, .. } = self.uses[t];
        first == Some((node, false)) && !input
    }

    /// Whether a node writes tensor `t`.
    pub(crate) fn is_written(&self, t: usize) -> bool {
        self.uses[t].written
    }

    /// Whether the caller writes tensor `t`.
    pub(crate) fn is_input(&self, t: usize) -> bool {
        self.uses[t].input
    }

    /// Whether the caller reads tensor `t`.
    pub(crate) fn is_output(&self, t: usize) -> bool {
        self.uses[t].output
    }

    /// Treats tensor `t` like an output.
    pub(crate) fn expose(&mut self, t: usize) {
        self.uses[t].output = true;
    }

    /// Whether a node's op keeps a state, in its own memory or in variables among its inputs.
    pub(crate) fn has_state(&self, node: usize) -> bool {
        self.nodes[node].candidates.first().is_some_and(|c| c.op.flags & OP_STATEFUL != 0)
    }

    /// Whether a node has effects besides its outputs: its op keeps a state, or it reads or writes a variable.
    pub(crate) fn is_stateful(&self, node: usize) -> bool {
        let info = &self.nodes[node];
        let mut used = Graph::present(&info.inputs).chain(Graph::present(&info.outputs));
        self.has_state(node) || used.any(|t| self.tensors[t].variable)
    }

    fn find_uses(&mut self) {
        let mut uses = vec![Use::default(); self.tensors.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            for t in Graph::present(&node.inputs) {
                uses[t].last_reader = Some(i);
                uses[t].first.get_or_insert((i, true));
            }
            for t in Graph::present(&node.outputs) {
                uses[t].written = true;
                uses[t].first.get_or_insert((i, false));
            }
        }
        Graph::present(&self.inputs).for_each(|t| uses[t].input = true);
        Graph::present(&self.outputs).for_each(|t| uses[t].output = true);
        self.uses = uses;
    }

    /// The name of a node's op.
    pub(crate) fn op_name(&self, node: usize) -> String {
        self.nodes[node].key.name()
    }
}
