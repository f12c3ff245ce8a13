//! `arenite inspect`: what is in a model, who runs it, and where its tensors lie.

mod memory;
mod placement;
mod show;

use std::path::PathBuf;

use arenite::model_file::{self, tensor_type};
use arenite::{Interpreter, Model};
use clap::Args;
use serde::Serialize;

use crate::answer::{Answer, Result};
use crate::options::{Common, load_model};
use crate::session::Session;

use memory::{Memory, memory};
use placement::{Placement, Server};

const NOTES: &str = "\
Ops that no plugin serves are a warning: all else is shown, without a memory plan. If a node
is refused, or memory cannot be planned, all else is shown and the exit status is 1.";

#[derive(Args)]
#[command(after_help = NOTES)]
pub struct Arguments {
    /// The model, a .tflite file
    model: PathBuf,

    /// Give an input another shape before memory is planned (repeatable)
    #[arg(long, value_name = "K|NAME=1x2x3")]
    resize: Vec<crate::inputs::Resize>,

    #[command(flatten)]
    pub common: Common,
}

#[derive(Serialize)]
struct Report {
    model: ModelReport,
    signatures: Vec<Signature>,
    metadata: Vec<Metadata>,
    /// The ops in use.
    ops: Vec<OpUse>,
    subgraphs: Vec<Subgraph>,
    unresolved: Vec<Unresolved>,
    /// Delegates that were left out as a whole.
    left_out: Vec<LeftOut>,
    /// Null if memory could not be planned.
    memory: Option<Memory>,
    /// Why memory could not be planned.
    error: Option<String>,
}

#[derive(Serialize)]
struct ModelReport {
    path: PathBuf,
    bytes: usize,
    schema: u32,
    description: Option<String>,
}

#[derive(Serialize)]
struct Signature {
    key: String,
    subgraph: u32,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

#[derive(Serialize)]
struct Port {
    name: String,
    tensor: u32,
}

#[derive(Serialize)]
struct Metadata {
    name: String,
    bytes: usize,
    /// If the bytes are text.
    text: Option<String>,
}

#[derive(Serialize)]
struct OpUse {
    op: String,
    version: i32,
    custom: bool,
    nodes: usize,
}

#[derive(Serialize)]
struct Subgraph {
    index: usize,
    name: String,
    inputs: Vec<i32>,
    outputs: Vec<i32>,
    nodes: Vec<Node>,
    tensors: Vec<Tensor>,
}

#[derive(Serialize)]
struct Node {
    index: usize,
    op: String,
    version: i32,
    /// Tensor indices; −1 for an absent one.
    inputs: Vec<i32>,
    outputs: Vec<i32>,
    /// Null outside the main subgraph.
    served_by: Option<Server>,
    refusals: Vec<LeftOut>,
}

#[derive(Serialize)]
struct LeftOut {
    delegate: String,
    reason: String,
}

#[derive(Serialize)]
struct Tensor {
    index: usize,
    name: String,
    #[serde(rename = "type")]
    ty: String,
    shape: Vec<i32>,
    shape_signature: Vec<i32>,
    kind: &'static str,
    /// Bytes of its data in the file.
    constant_bytes: Option<usize>,
    quantization: Option<Quantization>,
    sparse: bool,
}

#[derive(Serialize)]
struct Quantization {
    scales: Vec<f32>,
    zero_points: Vec<i64>,
    dimension: i32,
}

#[derive(Serialize)]
struct Unresolved {
    op: String,
    custom: bool,
    version: i32,
    element_types: Vec<&'static str>,
    subgraph: usize,
    nodes: Vec<usize>,
    candidates: Vec<String>,
    searched: Vec<String>,
}

/// Runs the command.
pub fn inspect(arguments: &Arguments) -> Result<Answer> {
    let common = &arguments.common;
    let model = load_model(&arguments.model)?;
    let mut interpreter = common.interpreter(&model)?;
    let outcome = allocate(&mut interpreter, arguments);
    let planner = common.settings()?.planner.map_or(arenite::DEFAULT_PLANNER.to_owned(), |p| p.name);
    let mut report = read(&arguments.model, &model, &interpreter);
    let failure = match outcome {
        Ok(()) => {
            report.memory = Some(memory(&interpreter, planner));
            None
        }
        Err(error) => {
            report.error = Some(error.to_string());
            let unresolved = !interpreter.unresolved_ops().is_empty();
            if unresolved {
                tracing::warn!("memory is not planned: {error}");
            }
            (!unresolved).then_some(error)
        }
    };
    match failure {
        None => Answer::new(&report, common.json),
        Some(failure) => Answer::failed(&report, common.json, failure),
    }
}

fn allocate(interpreter: &mut Interpreter, arguments: &Arguments) -> Result<()> {
    let mut session = Session::open(interpreter, None)?;
    crate::inputs::resize(&mut session, &arguments.resize)?;
    session.allocate()
}

fn read(path: &std::path::Path, model: &Model, interpreter: &Interpreter) -> Report {
    let view = model.view();
    let left_out = |left_out: &arenite::LeftOut| LeftOut {
        delegate: left_out.delegate.clone(),
        reason: left_out.reason.clone(),
    };
    Report {
        model: ModelReport {
            path: path.to_owned(),
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
        unresolved: interpreter.unresolved_ops().iter().map(|op| read_unresolved(op, interpreter)).collect(),
        left_out: interpreter.left_out().iter().map(left_out).collect(),
        memory: None,
        error: None,
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
    uses.sort_by(|a, b| b.nodes.cmp(&a.nodes).then_with(|| a.op.cmp(&b.op)));
    uses
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
