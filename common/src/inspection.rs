//! What is in a model, who runs it, and where its tensors lie.

use std::path::{Path, PathBuf};

use arenite::Interpreter;
use arenite::model_file::{self, tensor_type};
use serde::Serialize;

use crate::devices::{PartitionFacts, facts};
use crate::in_order;
use crate::memory::Memory;
use crate::placement::{Placement, Server};

/// What is in a model, who runs it, and where its tensors lie.
#[derive(Serialize)]
pub struct Inspection {
    /// The file.
    pub model: ModelReport,
    /// Entry points.
    pub signatures: Vec<Signature>,
    /// What is attached to the model.
    pub metadata: Vec<Metadata>,
    /// The ops in use.
    pub ops: Vec<OpUse>,
    /// All of them.
    pub subgraphs: Vec<Subgraph>,
    /// Ops that no plugin serves.
    pub unresolved: Vec<Unresolved>,
    /// Delegates that were left out as a whole.
    pub left_out: Vec<LeftOut>,
    /// What delegates' partitions tell of themselves.
    pub facts: Vec<PartitionFacts>,
    /// Null if memory could not be planned.
    pub memory: Option<Memory>,
    /// Why memory could not be planned.
    pub error: Option<String>,
}

/// The file.
#[derive(Serialize)]
pub struct ModelReport {
    /// Where it was read from.
    pub path: Option<PathBuf>,
    /// Its size.
    pub bytes: usize,
    /// The version of the schema.
    pub schema: u32,
    /// What the model says of itself.
    pub description: Option<String>,
}

/// An entry point.
#[derive(Serialize)]
pub struct Signature {
    /// Its key.
    pub key: String,
    /// The subgraph.
    pub subgraph: u32,
    /// Its inputs.
    pub inputs: Vec<Port>,
    /// Its outputs.
    pub outputs: Vec<Port>,
}

/// A name that a signature gives to a tensor.
#[derive(Serialize)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// The tensor.
    pub tensor: u32,
}

/// An entry of the metadata.
#[derive(Serialize)]
pub struct Metadata {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: usize,
    /// If the bytes are text.
    pub text: Option<String>,
}

/// An op in use.
#[derive(Serialize)]
pub struct OpUse {
    /// The op's name.
    pub op: String,
    /// Its version.
    pub version: i32,
    /// Whether it is a custom op.
    pub custom: bool,
    /// Its nodes.
    pub nodes: usize,
}

/// A subgraph.
#[derive(Serialize)]
pub struct Subgraph {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its inputs.
    pub inputs: Vec<i32>,
    /// Its outputs.
    pub outputs: Vec<i32>,
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Its tensors.
    pub tensors: Vec<Tensor>,
}

/// A node.
#[derive(Serialize)]
pub struct Node {
    /// Its index.
    pub index: usize,
    /// The op's name.
    pub op: String,
    /// Its version.
    pub version: i32,
    /// Tensor indices; −1 for an absent one.
    pub inputs: Vec<i32>,
    /// Its outputs.
    pub outputs: Vec<i32>,
    /// Null outside the main subgraph.
    pub served_by: Option<Server>,
    /// Delegates that do not take it.
    pub refusals: Vec<LeftOut>,
}

/// A delegate, and why it does not run something.
#[derive(Serialize)]
pub struct LeftOut {
    /// The delegate.
    pub delegate: String,
    /// Why.
    pub reason: String,
}

/// A tensor.
#[derive(Serialize)]
pub struct Tensor {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Element type.
    #[serde(rename = "type")]
    pub ty: String,
    /// The shape now.
    pub shape: Vec<i32>,
    /// The shape with −1 where the caller may choose.
    pub shape_signature: Vec<i32>,
    /// `input`, `output`, `variable`, `constant` or `activation`.
    pub kind: &'static str,
    /// Bytes of its data in the file.
    pub constant_bytes: Option<usize>,
    /// If it is quantized.
    pub quantization: Option<Quantization>,
    /// Whether its data is sparse.
    pub sparse: bool,
}

/// `real = scale × (q − zero_point)`.
#[derive(Serialize)]
pub struct Quantization {
    /// One for all, or one per slice.
    pub scales: Vec<f32>,
    /// See `scales`.
    pub zero_points: Vec<i64>,
    /// See `scales`.
    pub dimension: i32,
}

/// An op that no plugin serves.
#[derive(Serialize)]
pub struct Unresolved {
    /// The op's name.
    pub op: String,
    /// Whether it is a custom op.
    pub custom: bool,
    /// Its version.
    pub version: i32,
    /// Those of its nodes.
    pub element_types: Vec<&'static str>,
    /// The subgraph.
    pub subgraph: usize,
    /// Its nodes.
    pub nodes: Vec<usize>,
    /// Why no registration fits.
    pub candidates: Vec<String>,
    /// Where plugins were looked for.
    pub searched: Vec<String>,
}

impl Inspection {
    /// What is in the model of an interpreter, who runs it, and where its tensors lie, if that is planned.
    ///
    /// `path`: where the model was read from.
    pub fn of(interpreter: &Interpreter, path: Option<&Path>) -> Self {
        let view = interpreter.model().view();
        let left_out = |left_out: &arenite::LeftOut| LeftOut {
            delegate: left_out.delegate.clone(),
            reason: left_out.reason.clone(),
        };
        Inspection {
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
            left_out: interpreter.left_out().iter().map(left_out).collect(),
            facts: facts(interpreter),
            memory: interpreter.planned_steps(0).map(|_| Memory::of(interpreter)),
            error: None,
        }
    }

    /// As `arenite inspect --json` prints it.
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
    let placement = main.map(Placement::of);
    let nodes = nodes.map(|(i, operator)| read_node(view, i, &operator, placement.as_ref())).collect();
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

fn read_node(
    view: &model_file::Model<'_>,
    index: usize,
    operator: &model_file::Operator<'_>,
    placement: Option<&Placement<'_>>,
) -> Node {
    let code = view.operator_code(operator);
    let refusals = placement.iter().flat_map(|placement| placement.refusals_of(index));
    Node {
        index,
        op: code.map_or_else(|| "unknown".to_owned(), |code| code.name().to_owned()),
        version: code.map_or(0, |code| code.version()),
        inputs: operator.inputs().iter().collect(),
        outputs: operator.outputs().iter().collect(),
        served_by: placement.map(|placement| placement.server(index)),
        refusals: refusals
            .map(|(delegate, reason)| LeftOut { delegate: delegate.clone(), reason: reason.clone() })
            .collect(),
    }
}

fn read_unresolved(op: &arenite::UnresolvedOp, interpreter: &Interpreter) -> Unresolved {
    Unresolved {
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
