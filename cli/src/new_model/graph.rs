//! Builds the model from its nodes.

use std::collections::{HashMap, HashSet};

use arenite::model_file::builtin_operator_code;
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor};

use super::constant;
use super::statement::{Declaration, Operand, Statement};
use crate::answer::Result;

/// The model with these nodes.
///
/// # Errors
/// A tensor is not declared, or declared or written twice; options or constants do not fit.
pub(super) fn build(statements: &[Statement<'_>]) -> Result<ModelBuilder> {
    let mut graph = Graph {
        model: ModelBuilder::new(),
        graph: SubGraph::new("main"),
        tensors: HashMap::new(),
        read: HashSet::new(),
    };
    statements.iter().try_for_each(|statement| graph.add(statement))?;
    Ok(graph.finish())
}

struct Graph<'a> {
    model: ModelBuilder,
    graph: SubGraph,
    tensors: HashMap<&'a str, NamedTensor>,
    /// Tensors that a node reads.
    read: HashSet<i32>,
}

/// A tensor that has a name already.
#[derive(Clone, Copy)]
struct NamedTensor {
    index: i32,
    origin: Origin,
}

#[derive(Clone, Copy, PartialEq)]
enum Origin {
    /// It is an input of the model, unless a later node writes it.
    Given,
    Constant,
    Variable,
    Written,
}

impl<'a> Graph<'a> {
    fn add(&mut self, statement: &Statement<'a>) -> Result<()> {
        let fail = |message: String| statement.failure(message);
        let mut inputs = Vec::new();
        for input in &statement.inputs {
            inputs.push(match input {
                Some(operand) => self.input(operand).map_err(fail)?,
                None => -1,
            });
        }
        let outputs: Result<Vec<i32>, String> =
            statement.outputs.iter().map(|operand| self.output(operand)).collect();
        let outputs = outputs.map_err(fail)?;
        self.read.extend(inputs.iter().copied());
        let operator = match builtin_operator_code(statement.op) {
            Some(code) => {
                let index = self.model.builtin(statement.op, statement.version);
                let operator = Operator::new(index, &inputs, &outputs);
                statement.options.add_builtin(operator, code).map_err(fail)?
            }
            None => {
                let index = self.model.custom(statement.op, statement.version);
                let options = statement.options.custom().map_err(fail)?;
                let operator = Operator::new(index, &inputs, &outputs);
                if options.is_empty() { operator } else { operator.custom_options(options) }
            }
        };
        self.graph.operator(operator);
        Ok(())
    }

    fn input(&mut self, operand: &Operand<'a>) -> Result<i32, String> {
        let known = self.tensors.get(operand.name).copied();
        let known = match (known, &operand.declared) {
            (Some(known), None) => known,
            (None, Some(declared)) => self.declare(operand.name, declared)?,
            _ => return Err(misdeclared(operand, known.is_some())),
        };
        Ok(known.index)
    }

    fn output(&mut self, operand: &Operand<'a>) -> Result<i32, String> {
        let name = operand.name;
        let known = self.tensors.get(name).copied();
        if operand.declared.as_ref().is_some_and(|declared| declared.value.is_some()) {
            return Err(format!("'{name}' is an output, and so has no value=; remove it"));
        }
        match (known, &operand.declared) {
            (None, Some(declared)) => {
                let known = self.declare(name, declared)?;
                if known.origin != Origin::Variable {
                    self.tensors.insert(name, NamedTensor { origin: Origin::Written, ..known });
                }
                Ok(known.index)
            }
            (Some(NamedTensor { index, origin: Origin::Variable }), None) => Ok(index),
            (Some(NamedTensor { origin: Origin::Written, .. }), _) => {
                Err(format!("another node writes '{name}' already; give this output another name"))
            }
            (Some(NamedTensor { origin: Origin::Constant, .. }), _) => {
                Err(format!("'{name}' is a constant; give this output another name"))
            }
            (Some(NamedTensor { origin: Origin::Given, .. }), _) => {
                Err(format!("an earlier node reads '{name}'; put the node that writes it first"))
            }
            _ => Err(misdeclared(operand, known.is_some())),
        }
    }

    fn declare(&mut self, name: &'a str, declared: &Declaration) -> Result<NamedTensor, String> {
        let Declaration { ty, shape, scale, zero_point, value, variable } = declared;
        if let Some(dim) = shape.iter().find(|&&dim| dim < -1) {
            return Err(format!(
                "'{name}' has a dimension of {dim}; the smallest is 0, and -1 means any size"
            ));
        }
        // The file has a 1 for a dimension of any size.
        let fixed: Vec<i32> = shape.iter().map(|&dim| if dim == -1 { 1 } else { dim }).collect();
        let mut tensor = Tensor::new(name, *ty as i32, &fixed);
        if fixed != *shape {
            tensor = tensor.shape_signature(shape);
        }
        if let Some(scale) = scale {
            if !ty.is_quantizable() {
                return Err(format!("'{name}' is {ty}, which has no scale; integers up to 64 bits have one"));
            }
            tensor = tensor.quantized(*scale, *zero_point);
        } else if *zero_point != 0 {
            return Err(format!("'{name}' has a zero point and no scale; add scale=1"));
        }
        let mut origin = Origin::Given;
        if *variable {
            (tensor, origin) = (tensor.variable(), Origin::Variable);
        }
        if let Some(values) = value {
            let bytes =
                constant::bytes(declared, values).map_err(|message| format!("'{name}': {message}"))?;
            tensor = tensor.buffer(self.model.buffer(bytes));
            origin = Origin::Constant;
        }
        let known = NamedTensor { index: self.graph.tensor(tensor), origin };
        self.tensors.insert(name, known);
        Ok(known)
    }

    /// Tensors that no node writes are inputs, tensors that no node reads outputs.
    fn finish(mut self) -> ModelBuilder {
        let mut known: Vec<NamedTensor> = self.tensors.into_values().collect();
        known.sort_by_key(|known| known.index);
        for NamedTensor { index, origin } in known {
            match origin {
                Origin::Given => self.graph.inputs.push(index),
                Origin::Written if !self.read.contains(&index) => self.graph.outputs.push(index),
                _ => {}
            }
        }
        self.model.subgraph(self.graph);
        self.model
    }
}

/// The error for a tensor without a type where it is first named, or with one where it is named again.
fn misdeclared(operand: &Operand<'_>, known: bool) -> String {
    let name = operand.name;
    if known {
        format!("'{name}' has a type already; give only its name")
    } else {
        format!("'{name}' has no type; write it as {name}:FLOAT32[1,4], with its own type and shape")
    }
}
