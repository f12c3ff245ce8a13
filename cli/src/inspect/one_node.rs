//! `--node`: one node in full.

use std::fmt::{self, Display, Formatter};

use arenite::abi::schema::OPERATORS;
use arenite_common::inspection::{Inspection, Node, Subgraph, Tensor};
use serde::Serialize;

use super::show::{quantization_of, server, shape_of};
use crate::answer::{Failure, Result};
use crate::text::{self, Align, DIM, HEAD, Table, Visible, thousands};

/// A node with its tensors.
#[derive(Serialize)]
pub(super) struct OneNode {
    subgraph: usize,
    node: Node,
    inputs: Vec<Operand>,
    outputs: Vec<Operand>,
}

/// A tensor that a node reads or writes.
#[derive(Serialize)]
struct Operand {
    /// The schema's name; null if the op's operands have none.
    operand: Option<String>,
    /// Null for an optional input that is absent.
    tensor: Option<Tensor>,
}

/// Takes node `index` of `subgraph` out of the report.
pub(super) fn find(report: Inspection, subgraph: usize, index: usize) -> Result<OneNode> {
    let count = report.subgraphs.len();
    let Some(Subgraph { nodes, tensors, .. }) = report.subgraphs.into_iter().nth(subgraph) else {
        return Err(Failure::new(format!("subgraph {subgraph} does not exist; the model has {count}")));
    };
    let count = nodes.len();
    let Some(node) = nodes.into_iter().nth(index) else {
        let text =
            format!("node {index} does not exist in subgraph {subgraph}, which has {count}, counted from 0");
        return Err(Failure::new(text));
    };
    let (inputs, outputs) = names(&node.op);
    let operands = |list: &[i32], names: &[(String, bool)]| {
        let operand = |(i, &t): (usize, &i32)| Operand {
            operand: names.get(i).or(names.last().filter(|(_, many)| *many)).map(|(name, _)| name.clone()),
            tensor: usize::try_from(t).ok().and_then(|t| tensors.get(t)).cloned(),
        };
        list.iter().enumerate().map(operand).collect()
    };
    let (inputs, outputs) = (operands(&node.inputs, &inputs), operands(&node.outputs, &outputs));
    Ok(OneNode { subgraph, node, inputs, outputs })
}

/// Names of an op's operands, and whether each is a list of any number of tensors.
type Names = Vec<(String, bool)>;

/// The schema's names of an op's inputs and outputs.
fn names(op: &str) -> (Names, Names) {
    let Some(op) = OPERATORS.iter().find(|known| known.name == op) else { return Default::default() };
    let name = |operand: arenite::abi::OperandSchema| (operand.name.to_owned(), operand.variadic);
    let inputs = op.inputs().map(|list| list.map(name).collect());
    let outputs = op.outputs().map(|list| list.map(name).collect());
    (inputs.unwrap_or_default(), outputs.unwrap_or_default())
}

impl Display for OneNode {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Node { index, op, version, served_by, refusals, facts, .. } = &self.node;
        let subgraph = self.subgraph;
        writeln!(
            f,
            "{HEAD}node {index}  {}{HEAD:#}  version {version}{DIM}  of subgraph {subgraph}{DIM:#}",
            Visible(op)
        )?;
        if let Some(by) = served_by {
            writeln!(f, "  runs on  {}", Visible(server(by)))?;
        }
        for refusal in refusals {
            writeln!(f, "  not on   {}: {}", Visible(&refusal.delegate), Visible(&refusal.reason))?;
        }
        if let Some(facts) = facts {
            if facts.weight_bytes > 0 {
                writeln!(f, "  weights  {} bytes", thousands(facts.weight_bytes))?;
            }
            if let Some(macs) = facts.macs {
                writeln!(f, "  MACs     {}", thousands(macs))?;
            }
            if !facts.options.is_empty() {
                writeln!(f, "\n{HEAD}options{HEAD:#}")?;
                for option in &facts.options {
                    let default =
                        if option.is_default { format!("{DIM}  the default{DIM:#}") } else { String::new() };
                    writeln!(f, "  {}{default}", text::shorten(&option.to_string(), 200))?;
                }
            }
        }
        show_operands(f, "inputs", &self.inputs)?;
        show_operands(f, "outputs", &self.outputs)
    }
}

fn show_operands(f: &mut Formatter<'_>, title: &str, operands: &[Operand]) -> fmt::Result {
    writeln!(f, "\n{HEAD}{title}{HEAD:#}")?;
    let mut table = Table::new(&[
        ("operand", Align::Left),
        ("tensor", Align::Right),
        ("type", Align::Left),
        ("shape", Align::Left),
        ("kind", Align::Left),
        ("quantization", Align::Left),
        ("name", Align::Left),
    ]);
    for Operand { operand, tensor } in operands {
        let operand = operand.clone().unwrap_or_default();
        table.row(match tensor {
            None => [operand, "-".to_owned(), "absent".to_owned()]
                .into_iter()
                .chain((0..4).map(|_| String::new()))
                .collect::<Vec<_>>(),
            Some(tensor) => vec![
                operand,
                tensor.index.to_string(),
                tensor.ty.clone(),
                shape_of(tensor),
                tensor.kind.to_owned(),
                quantization_of(tensor),
                text::shorten(&tensor.name, 80),
            ],
        });
    }
    table.fmt(f)
}
