//! The contents of a model, what runs each node, and the memory plan.

use std::path::{Path, PathBuf};

use arenite::Interpreter;
use arenite::model_file::{self, tensor_type};
use serde::Serialize;

use crate::devices::{PartitionFacts, facts};
use crate::in_order;
use crate::memory::Memory;
use crate::node_facts::NodeFacts;
use crate::placement::{Placement, Server};

/// The contents of a model, what runs each node, and the memory plan.
#[derive(Serialize)]
pub struct Inspection {
    /// The model file.
    pub model: ModelReport,
    /// The model's signatures.
    pub signatures: Vec<Signature>,
    /// The model's metadata entries.
    pub metadata: Vec<Metadata>,
    /// The ops that the model uses.
    pub ops: Vec<OpUse>,
    /// All subgraphs.
    pub subgraphs: Vec<Subgraph>,
    /// Ops for which no registration was found.
    pub unresolved: Vec<UnresolvedOp>,
    /// Delegates that were skipped for the whole model.
    pub left_out: Vec<DelegateRefusal>,
    /// Facts that delegates' partitions report.
    pub facts: Vec<PartitionFacts>,
    /// The memory plan; null if memory could not be planned.
    pub memory: Option<Memory>,
    /// Why memory could not be planned.
    pub error: Option<String>,
}

/// The model file.
#[derive(Serialize)]
pub struct ModelReport {
    /// Path of the file; null if the model did not come from a file.
    pub path: Option<PathBuf>,
    /// Size of the model in bytes.
    pub bytes: usize,
    /// Version of the schema.
    pub schema: u32,
    /// The description in the model.
    pub description: Option<String>,
}

/// A signature: an entry point with named inputs and outputs.
#[derive(Serialize)]
pub struct Signature {
    /// Key of the signature.
    pub key: String,
    /// Index of the subgraph it runs.
    pub subgraph: u32,
    /// Names of its inputs.
    pub inputs: Vec<Port>,
    /// Names of its outputs.
    pub outputs: Vec<Port>,
}

/// The name that a signature gives to a tensor.
#[derive(Serialize)]
pub struct Port {
    /// The name in the signature.
    pub name: String,
    /// Index of the tensor.
    pub tensor: u32,
}

/// A metadata entry.
#[derive(Serialize)]
pub struct Metadata {
    /// Name of the entry.
    pub name: String,
    /// Size of the entry in bytes.
    pub bytes: usize,
    /// The contents, if they are text.
    pub text: Option<String>,
}

/// An op that the model uses.
#[derive(Serialize)]
pub struct OpUse {
    /// Name of the op.
    pub op: String,
    /// Version of the op.
    pub version: i32,
    /// Whether it is a custom op.
    pub custom: bool,
    /// Number of nodes that use it.
    pub nodes: usize,
}

/// A subgraph of the model.
#[derive(Serialize)]
pub struct Subgraph {
    /// Index of the subgraph.
    pub index: usize,
    /// Name of the subgraph.
    pub name: String,
    /// Indices of its input tensors.
    pub inputs: Vec<i32>,
    /// Indices of its output tensors.
    pub outputs: Vec<i32>,
    /// Its nodes in the file's order.
    pub nodes: Vec<Node>,
    /// Its tensors in the file's order.
    pub tensors: Vec<Tensor>,
}

/// A node of a subgraph.
#[derive(Serialize)]
pub struct Node {
    /// Index of the node.
    pub index: usize,
    /// Name of the op.
    pub op: String,
    /// Version of the op.
    pub version: i32,
    /// Indices of input tensors; −1 for an absent one.
    pub inputs: Vec<i32>,
    /// Indices of output tensors.
    pub outputs: Vec<i32>,
    /// The delegate or op that runs the node; null in a subgraph that is not prepared yet.
    pub served_by: Option<Server>,
    /// Delegates that did not claim the node, and why.
    pub refusals: Vec<DelegateRefusal>,
    /// Further facts, if the program computed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<NodeFacts>,
}

/// A delegate, and why it does not run something.
#[derive(Serialize)]
pub struct DelegateRefusal {
    /// Name of the delegate.
    pub delegate: String,
    /// The delegate's reason.
    pub reason: String,
}

impl From<&arenite::DisabledDelegate> for DelegateRefusal {
    fn from(left_out: &arenite::DisabledDelegate) -> Self {
        DelegateRefusal { delegate: left_out.delegate.clone(), reason: left_out.reason.clone() }
    }
}

/// A tensor of a subgraph.
#[derive(Clone, Serialize)]
pub struct Tensor {
    /// Index of the tensor.
    pub index: usize,
    /// Name of the tensor.
    pub name: String,
    /// Name of the element type.
    #[serde(rename = "type")]
    pub ty: String,
    /// The current shape.
    pub shape: Vec<i32>,
    /// The shape in the file, with −1 for dimensions the caller may choose.
    pub shape_signature: Vec<i32>,
    /// `input`, `output`, `variable`, `constant` or `activation`.
    pub kind: &'static str,
    /// Size of its data in the file, in bytes.
    pub constant_bytes: Option<usize>,
    /// The quantization parameters, if it is quantized.
    pub quantization: Option<Quantization>,
    /// Whether its data is sparse.
    pub sparse: bool,
}

/// Quantization parameters: `real = scale × (q − zero_point)`.
#[derive(Clone, Serialize)]
pub struct Quantization {
    /// One for the whole tensor, or one per slice of `dimension`.
    pub scales: Vec<f32>,
    /// Same length as `scales`.
    pub zero_points: Vec<i64>,
    /// The quantized dimension, if there are several scales.
    pub dimension: i32,
}

/// An op for which no registration was found.
#[derive(Serialize)]
pub struct UnresolvedOp {
    /// Name of the op.
    pub op: String,
    /// Whether it is a custom op.
    pub custom: bool,
    /// Version of the op.
    pub version: i32,
    /// Element types of the nodes' tensors.
    pub element_types: Vec<&'static str>,
    /// Index of the subgraph.
    pub subgraph: usize,
    /// Indices of the nodes.
    pub nodes: Vec<usize>,
    /// Registrations of the op that do not fit, and why.
    pub candidates: Vec<String>,
    /// The places that were searched for plugins.
    pub searched: Vec<String>,
}

impl Inspection {
    /// Describes an interpreter's model, what runs each node, and the memory plan if there is one.
    ///
    /// `path` is the file the model was read from.
    pub fn of(interpreter: &Interpreter, path: Option<&Path>) -> Self {
        let view = interpreter.model().view();
        let mut inspection = Inspection {
            model: ModelReport {
                path: path.map(Path::to_owned),
                bytes: view.bytes().len(),
                schema: view.version(),
                description: view.description().filter(|d| !d.is_empty()).map(str::to_owned),
            },
            signatures: view.signatures().iter().map(|signature| read_signature(&signature)).collect(),
            metadata: view.metadata_entries().map(|(name, bytes)| read_metadata(name, bytes)).collect(),
            ops: ops_in_use(&view),
            subgraphs: (0..view.subgraphs().len())
                .filter_map(|index| Some(read_subgraph(&view, index, &view.subgraph(index)?, interpreter)))
                .collect(),
            unresolved: interpreter
                .unresolved_ops()
                .iter()
                .map(|op| read_unresolved(op, interpreter))
                .collect(),
            left_out: interpreter.left_out().iter().map(DelegateRefusal::from).collect(),
            facts: facts(interpreter),
            memory: interpreter.planned_steps(0).map(|_| Memory::of(interpreter)),
            error: None,
        };
        inspection.read_placement(interpreter);
        inspection
    }

    /// Reads what runs each node. A run can prepare further subgraphs.
    pub fn read_placement(&mut self, interpreter: &Interpreter) {
        for subgraph in &mut self.subgraphs {
            let Some(placement) = Placement::of(interpreter, subgraph.index) else { continue };
            for node in &mut subgraph.nodes {
                node.served_by = Some(placement.server(node.index));
                let left_out = |(delegate, reason): &(String, String)| DelegateRefusal {
                    delegate: delegate.clone(),
                    reason: reason.clone(),
                };
                node.refusals = placement.refusals_of(node.index).map(left_out).collect();
            }
        }
    }

    /// The JSON that `arenite inspect --json` prints.
    ///
    /// # Errors
    /// The path is not UTF-8.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

fn read_signature(signature: &model_file::SignatureDef<'_>) -> Signature {
    let ports = |maps: model_file::Tables<'_, model_file::TensorMap<'_>>| {
        maps.iter()
            .map(|map| Port { name: map.name().unwrap_or("").to_owned(), tensor: map.tensor_index() })
            .collect()
    };
    Signature {
        key: signature.key().to_owned(),
        subgraph: signature.subgraph_index(),
        inputs: ports(signature.inputs()),
        outputs: ports(signature.outputs()),
    }
}

fn read_metadata(name: &str, bytes: &[u8]) -> Metadata {
    let text = std::str::from_utf8(bytes).ok().map(|text| text.trim_end_matches('\0'));
    let printable = text.filter(|text| !text.is_empty() && !text.chars().any(char::is_control));
    Metadata { name: name.to_owned(), bytes: bytes.len(), text: printable.map(str::to_owned) }
}

fn ops_in_use(view: &model_file::Model<'_>) -> Vec<OpUse> {
    let mut uses: Vec<OpUse> = view
        .operator_codes()
        .iter()
        .map(|code| OpUse {
            op: code.name().to_owned(),
            version: code.version(),
            custom: code.builtin_code() == model_file::CUSTOM,
            nodes: 0,
        })
        .collect();
    for operator in view.subgraphs().iter().flat_map(|subgraph| subgraph.operators()) {
        if let Some(op) = uses.get_mut(operator.opcode_index() as usize) {
            op.nodes += 1;
        }
    }
    in_order(uses, |a, b| b.nodes.cmp(&a.nodes).then_with(|| a.op.cmp(&b.op)))
}

fn read_subgraph(
    view: &model_file::Model<'_>,
    index: usize,
    subgraph: &model_file::SubGraph<'_>,
    interpreter: &Interpreter,
) -> Subgraph {
    let inputs: Vec<i32> = subgraph.inputs().iter().collect();
    let outputs: Vec<i32> = subgraph.outputs().iter().collect();
    let kind = |i: usize, tensor: &model_file::Tensor<'_>| match i32::try_from(i) {
        Ok(t) if inputs.contains(&t) => "input",
        Ok(t) if outputs.contains(&t) => "output",
        _ if tensor.is_variable() => "variable",
        _ if view.constant(tensor).is_some() => "constant",
        _ => "activation",
    };
    let tensors = subgraph.tensors().iter().enumerate();
    let main = (index == 0).then_some(interpreter);
    let tensors = tensors.map(|(i, tensor)| read_tensor(view, i, &tensor, kind(i, &tensor), main)).collect();
    let nodes = subgraph.operators().iter().enumerate();
    let nodes = nodes.map(|(i, operator)| read_node(view, i, &operator)).collect();
    let name = subgraph.name().unwrap_or("").to_owned();
    Subgraph { index, name, inputs, outputs, nodes, tensors }
}

fn read_tensor(
    view: &model_file::Model<'_>,
    index: usize,
    tensor: &model_file::Tensor<'_>,
    kind: &'static str,
    main: Option<&Interpreter>,
) -> Tensor {
    let quantization = tensor.quantization().filter(|q| !q.scale().is_empty());
    let shape = main.and_then(|interpreter| interpreter.shape_of(index));
    let ty = tensor.element_type();
    Tensor {
        index,
        name: tensor.name().unwrap_or("").to_owned(),
        ty: tensor_type::name(ty).map_or_else(|| format!("type {ty}"), str::to_owned),
        shape: shape.map_or_else(|| tensor.shape().iter().collect(), <[i32]>::to_vec),
        shape_signature: tensor.shape_signature().iter().collect(),
        kind,
        constant_bytes: view.constant(tensor).map(<[u8]>::len),
        quantization: quantization.map(|q| Quantization {
            scales: q.scale().iter().collect(),
            zero_points: q.zero_point().iter().collect(),
            dimension: tensor.quantized_dimension(),
        }),
        sparse: tensor.sparsity().is_some(),
    }
}

fn read_node(view: &model_file::Model<'_>, index: usize, operator: &model_file::Operator<'_>) -> Node {
    let code = view.operator_code(operator);
    Node {
        index,
        op: code.map_or_else(|| "unknown".to_owned(), |code| code.name().to_owned()),
        version: code.map_or(0, |code| code.version()),
        inputs: operator.inputs().iter().collect(),
        outputs: operator.outputs().iter().collect(),
        served_by: None,
        refusals: Vec::new(),
        facts: None,
    }
}

fn read_unresolved(op: &arenite::UnresolvedOp, interpreter: &Interpreter) -> UnresolvedOp {
    UnresolvedOp {
        op: op.op.clone(),
        custom: op.custom,
        version: op.version,
        element_types: op.element_types.iter().map(|ty| ty.name()).collect(),
        subgraph: op.subgraph,
        nodes: op.nodes.clone(),
        candidates: op.candidates.clone(),
        searched: interpreter.registry().searched().to_vec(),
    }
}
