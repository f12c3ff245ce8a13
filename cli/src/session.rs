//! A model's main subgraph or one of its signatures, with inputs and outputs by position in either case.

use arenite::text::Visible;
use arenite::{Interpreter, Result as ArResult, SignatureRunner, Tensor, TensorMut};

use crate::answer::{Failure, Result};

/// What runs, and the names of its inputs and outputs in order.
pub struct Session<'a> {
    runner: Runner<'a>,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

enum Runner<'a> {
    Main(&'a mut Interpreter),
    Signature(SignatureRunner<'a>),
}

impl<'a> Session<'a> {
    /// The signature with this key; without one, the main subgraph.
    pub fn open(interpreter: &'a mut Interpreter, signature: Option<&str>) -> Result<Self> {
        let Some(key) = signature else {
            let names = |count: usize, of: &dyn Fn(usize) -> ArResult<String>| {
                (0..count).map(of).collect::<ArResult<Vec<_>>>()
            };
            let of_input = |i| interpreter.input(i).map(|t| t.name.to_owned());
            let of_output = |i| interpreter.output(i).map(|t| t.name.to_owned());
            let inputs = names(interpreter.input_count(), &of_input)?;
            let outputs = names(interpreter.output_count(), &of_output)?;
            return Ok(Session { runner: Runner::Main(interpreter), inputs, outputs });
        };
        let runner = interpreter.signature(key)?;
        let inputs = runner.input_names().map(str::to_owned).collect();
        let outputs = runner.output_names().map(str::to_owned).collect();
        Ok(Session { runner: Runner::Signature(runner), inputs, outputs })
    }

    /// Names of the inputs: the tensors', or those that the signature gives.
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// Names of the outputs.
    pub fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// The position of an input that is given by position or by name.
    pub fn find_input(&self, port: &str) -> Result<usize> {
        let by_name = self.inputs.iter().position(|name| name == port);
        let by_position = port.parse::<usize>().ok().filter(|&i| i < self.inputs.len());
        by_name.or(by_position).ok_or_else(|| {
            let known: Vec<String> =
                self.inputs.iter().enumerate().map(|(i, name)| format!("{i} '{}'", Visible(name))).collect();
            Failure::new(format!("there is no input '{port}'; the model has: {}", known.join(", ")))
        })
    }

    pub fn input(&self, i: usize) -> Result<Tensor<'_>> {
        Ok(match &self.runner {
            Runner::Main(interpreter) => interpreter.input(i)?,
            Runner::Signature(runner) => runner.input(name(&self.inputs, i)?)?,
        })
    }

    pub fn input_mut(&mut self, i: usize) -> Result<TensorMut<'_>> {
        Ok(match &mut self.runner {
            Runner::Main(interpreter) => interpreter.input_mut(i)?,
            Runner::Signature(runner) => runner.input_mut(name(&self.inputs, i)?)?,
        })
    }

    pub fn set_strings(&mut self, i: usize, strings: &[&[u8]]) -> Result<()> {
        match &mut self.runner {
            Runner::Main(interpreter) => interpreter.set_input_strings(i, strings)?,
            Runner::Signature(runner) => runner.set_input_strings(name(&self.inputs, i)?, strings)?,
        }
        Ok(())
    }

    pub fn resize(&mut self, i: usize, shape: &[i32]) -> Result<()> {
        match &mut self.runner {
            Runner::Main(interpreter) => interpreter.resize_input(i, shape)?,
            Runner::Signature(runner) => runner.resize_input(name(&self.inputs, i)?, shape)?,
        }
        Ok(())
    }

    pub fn allocate(&mut self) -> Result<()> {
        match &mut self.runner {
            Runner::Main(interpreter) => interpreter.allocate()?,
            Runner::Signature(runner) => runner.allocate()?,
        }
        Ok(())
    }

    pub fn invoke(&mut self) -> Result<()> {
        match &mut self.runner {
            Runner::Main(interpreter) => interpreter.invoke()?,
            Runner::Signature(runner) => runner.invoke()?,
        }
        Ok(())
    }

    pub fn output(&self, i: usize) -> Result<Tensor<'_>> {
        Ok(match &self.runner {
            Runner::Main(interpreter) => interpreter.output(i)?,
            Runner::Signature(runner) => runner.output(name(&self.outputs, i)?)?,
        })
    }
}

fn name(names: &[String], i: usize) -> Result<&str> {
    let name = names.get(i).map(String::as_str);
    name.ok_or_else(|| Failure::new(format!("there is no position {i}, the signature has {}", names.len())))
}
