//! `arenite new-model`: writes a small model from a line of text per node, so that the author of an op has something to
//! run.

mod constant;
mod graph;
mod options;
mod show;
mod statement;

use std::path::PathBuf;

use arenite::model_file::Model;
use clap::Args;
use serde::Serialize;

use crate::answer::{Answer, Failure, Result};
use crate::options::JsonOptions;
use statement::Statement;

const NOTES: &str = "\
Nodes:
  'y:FLOAT32[1,4] = Cube(x:FLOAT32[1,4])'
  A node is OUTPUTS = OP(INPUTS) OPTIONS; nodes run in the order in which they are given.
  OP is the name of a builtin op, such as ADD, or else of a custom op; ADD@2 is version 2.
  A tensor has a type and a shape where it is first named, and only its name later. Tensors that
  no node writes are the model's inputs, tensors that no node reads its outputs. Types are named as
  `arenite inspect` shows them. After the shape may follow
    scale=0.5 zero_point=3        quantization: the real number is 0.5 * (stored - 3)
    value=(1,2,3)                 a constant: one real number per element; value=1 is one for all
    variable                      a variable: it keeps its value between runs
  -1 in a shape is a dimension of any size, [] a scalar. An absent input is -.
Options:
  {\"n\": 2, \"mode\": \"fast\"}      JSON; a custom op gets it as a flexbuffer, a builtin op by the names
                                that `arenite inspect` shows
  hex:00ff10                    the bytes of a custom op's options
Examples:
  arenite new-model cube.tflite 'y:FLOAT32[1,4] = Cube(x:FLOAT32[1,4])'
  arenite new-model two.tflite 'h:INT8[4] scale=0.5 = Scale(x:FLOAT32[4]) {\"by\": 2}' \\
      'y:FLOAT32[4] = DEQUANTIZE(h)'
  arenite run cube.tflite --plugin-dir my-plugins --input 0=1,2,3,4";

#[derive(Args)]
#[command(after_help = NOTES)]
pub(crate) struct Arguments {
    /// The .tflite file to write
    model: PathBuf,

    /// A node with its tensors, see "Nodes" below (repeatable)
    #[arg(value_name = "NODE", required = true)]
    nodes: Vec<String>,

    /// Replace the file if it exists
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    pub common: JsonOptions,
}

/// The model that was written.
#[derive(Serialize)]
struct Report {
    model: PathBuf,
    bytes: usize,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    /// The ops, one per node.
    ops: Vec<Op>,
}

/// An input or an output.
#[derive(Serialize)]
struct Port {
    name: String,
    #[serde(rename = "type")]
    ty: &'static str,
    shape: Vec<i32>,
}

/// The op of a node.
#[derive(Serialize)]
struct Op {
    name: String,
    version: i32,
    custom: bool,
}

/// Runs the command.
pub(crate) fn new_model(arguments: &Arguments) -> Result<Answer> {
    let Arguments { model: path, nodes, force, common } = arguments;
    if path.exists() && !force {
        return Err(Failure::with(
            path.display(),
            "the file exists; choose another name, or give --force to replace it",
        ));
    }
    let statements = nodes.iter().map(|text| Statement::parse(text)).collect::<Result<Vec<_>>>()?;
    let bytes = graph::build(&statements)?.finish();
    let model = Model::new(&bytes).map_err(|error| Failure::new(format!("the model is invalid: {error}")))?;
    let report = report(path, bytes.len(), &model);
    std::fs::write(path, &bytes).map_err(|error| Failure::with(path.display(), error))?;
    Answer::new(&report, common.0.json)
}

fn report(path: &std::path::Path, bytes: usize, model: &Model<'_>) -> Report {
    let graph = model.subgraph(0);
    let port = |index: i32| {
        let tensor = graph.as_ref()?.tensors().get(usize::try_from(index).ok()?)?;
        Some(Port {
            name: tensor.name().unwrap_or_default().to_owned(),
            ty: arenite::model_file::tensor_type::name(tensor.element_type()).unwrap_or("?"),
            shape: tensor.shape().iter().collect(),
        })
    };
    let ports = |of: fn(&arenite::model_file::SubGraph<'_>) -> Vec<i32>| -> Vec<Port> {
        graph.as_ref().map(of).unwrap_or_default().into_iter().filter_map(port).collect()
    };
    let op = |operator: arenite::model_file::Operator<'_>| {
        let code = model.operator_code(&operator)?;
        let custom = code.custom_code();
        let builtin = arenite::model_file::builtin_operator_name(code.builtin_code());
        let name = custom.or(builtin)?.to_owned();
        Some(Op { name, version: code.version(), custom: custom.is_some() })
    };
    Report {
        model: path.to_owned(),
        bytes,
        inputs: ports(|graph| graph.inputs().iter().collect()),
        outputs: ports(|graph| graph.outputs().iter().collect()),
        ops: graph.iter().flat_map(|graph| graph.operators().iter()).filter_map(op).collect(),
    }
}
