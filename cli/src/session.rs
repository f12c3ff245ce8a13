//! Runs a model's main subgraph or one of its signatures, with inputs and outputs by position in both cases.

use std::sync::Arc;

use arenite::{Interpreter, Model, Registry, Result as ArResult, SignatureRunner, Tensor, TensorMut};
use arenite_common::inspection::DelegateRefusal;

use crate::answer::{Failure, Result};
use crate::text;

/// The subgraph or signature to run, and the names of its inputs and outputs in order.
pub(crate) struct Session<'a> {
    runner: Runner<'a>,
    registry: Arc<Registry>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// By input: whether an output is tied to it.
    tied: Vec<bool>,
}

enum Runner<'a> {
    Main(&'a mut Interpreter),
    Signature(SignatureRunner<'a>),
}

/// The subgraph that a signature runs, or the main one.
pub(crate) fn subgraph_of(model: &Model, signature: Option<&str>) -> Result<usize> {
    let Some(key) = signature else { return Ok(0) };
    let view = model.view();
    let signatures = view.signatures();
    let found = signatures.iter().find(|signature| signature.key() == key);
    if let Some(found) = found {
        return Ok(found.subgraph_index() as usize);
    }
    let known: Vec<String> = signatures.iter().map(|signature| format!("'{}'", signature.key())).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Err(Failure::new(format!("the model has no signature '{key}'; its signatures: {known}")))
}

impl<'a> Session<'a> {
    /// Opens the signature with this key, or the main subgraph without a key.
    pub(crate) fn open(interpreter: &'a mut Interpreter, signature: Option<&str>) -> Result<Self> {
        let registry = Arc::clone(interpreter.registry());
        let Some(key) = signature else {
            let names = |count: usize, of: &dyn Fn(usize) -> ArResult<String>| {
                (0..count).map(of).collect::<ArResult<Vec<_>>>()
            };
            let of_input = |i| interpreter.input(i).map(|t| t.name.to_owned());
            let of_output = |i| interpreter.output(i).map(|t| t.name.to_owned());
            let inputs = names(interpreter.input_count(), &of_input)?;
            let outputs = names(interpreter.output_count(), &of_output)?;
            let tensors = interpreter.inputs_of(0)?.to_vec();
            let is_tied =
                |&tensor| usize::try_from(tensor).is_ok_and(|tensor| interpreter.is_tied(0, tensor));
            let tied = tensors.iter().map(is_tied).collect();
            return Ok(Session { runner: Runner::Main(interpreter), registry, inputs, outputs, tied });
        };
        let runner = interpreter.signature(key)?;
        let inputs: Vec<String> = runner.input_names().map(str::to_owned).collect();
        let outputs = runner.output_names().map(str::to_owned).collect();
        let ties = runner.interpreter().ties();
        let is_tied = |name: &String| ties.iter().any(|tie| tie.signature == key && tie.input == *name);
        let tied = inputs.iter().map(is_tied).collect();
        Ok(Session { runner: Runner::Signature(runner), registry, inputs, outputs, tied })
    }

    /// Whether an output is tied to input `i`.
    pub(crate) fn is_tied(&self, i: usize) -> bool {
        self.tied.get(i) == Some(&true)
    }

    /// The plugins of the interpreter.
    pub(crate) fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The delegates that were skipped.
    pub(crate) fn left_out(&self) -> Vec<DelegateRefusal> {
        let interpreter = match &self.runner {
            Runner::Main(interpreter) => interpreter,
            Runner::Signature(runner) => runner.interpreter(),
        };
        interpreter.left_out().iter().map(DelegateRefusal::from).collect()
    }

    /// Names of the inputs: the tensors' names, or the signature's.
    pub(crate) fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// Names of the outputs.
    pub(crate) fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// Finds an input by name or by position.
    pub(crate) fn find_input(&self, port: &str) -> Result<usize> {
        find(&self.inputs, "input", port)
    }

    /// Finds an output by name or by position.
    pub(crate) fn find_output(&self, port: &str) -> Result<usize> {
        find(&self.outputs, "output", port)
    }

    pub(crate) fn input(&self, i: usize) -> Result<Tensor<'_>> {
        Ok(match &self.runner {
            Runner::Main(interpreter) => interpreter.input(i)?,
            Runner::Signature(runner) => runner.input(name(&self.inputs, i)?)?,
        })
    }

    pub(crate) fn input_mut(&mut self, i: usize) -> Result<TensorMut<'_>> {
        Ok(match &mut self.runner {
            Runner::Main(interpreter) => interpreter.input_mut(i)?,
            Runner::Signature(runner) => runner.input_mut(name(&self.inputs, i)?)?,
        })
    }

    pub(crate) fn set_strings(&mut self, i: usize, strings: &[&[u8]]) -> Result<()> {
        match &mut self.runner {
            Runner::Main(interpreter) => interpreter.set_input_strings(i, strings)?,
            Runner::Signature(runner) => runner.set_input_strings(name(&self.inputs, i)?, strings)?,
        }
        Ok(())
    }

    pub(crate) fn resize(&mut self, i: usize, shape: &[i32]) -> Result<()> {
        match &mut self.runner {
            Runner::Main(interpreter) => interpreter.resize_input(i, shape)?,
            Runner::Signature(runner) => runner.resize_input(name(&self.inputs, i)?, shape)?,
        }
        Ok(())
    }

    /// Allocates after inputs were resized as the command line says.
    ///
    /// # Errors
    /// The model does not take the shapes; the message names them.
    pub(crate) fn allocate_resized(&mut self, shapes: &[String]) -> Result<()> {
        self.allocate().map_err(|failure| match shapes {
            [] => failure,
            _ => Failure::new(format!(
                "the model does not take --resize {}: {failure}",
                shapes.join(" --resize ")
            )),
        })
    }

    pub(crate) fn allocate(&mut self) -> Result<()> {
        match &mut self.runner {
            Runner::Main(interpreter) => interpreter.allocate()?,
            Runner::Signature(runner) => runner.allocate()?,
        }
        Ok(())
    }

    pub(crate) fn invoke(&mut self) -> Result<()> {
        match &mut self.runner {
            Runner::Main(interpreter) => interpreter.invoke()?,
            Runner::Signature(runner) => runner.invoke()?,
        }
        Ok(())
    }

    pub(crate) fn output(&self, i: usize) -> Result<Tensor<'_>> {
        Ok(match &self.runner {
            Runner::Main(interpreter) => interpreter.output(i)?,
            Runner::Signature(runner) => runner.output(name(&self.outputs, i)?)?,
        })
    }
}

fn find(names: &[String], kind: &str, port: &str) -> Result<usize> {
    let by_name = names.iter().position(|name| name == port);
    let by_position = port.parse::<usize>().ok().filter(|&i| i < names.len());
    by_name.or(by_position).ok_or_else(|| {
        let known: Vec<String> =
            names.iter().enumerate().map(|(i, name)| format!("{i} '{}'", text::shorten(name, 60))).collect();
        Failure::new(format!("unknown {kind} '{port}'; the model has: {}", known.join(", ")))
    })
}

fn name(names: &[String], i: usize) -> Result<&str> {
    let name = names.get(i).map(String::as_str);
    name.ok_or_else(|| {
        Failure::new(format!("position {i} is out of range; the signature has {}", names.len()))
    })
}
