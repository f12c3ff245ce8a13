//! One call from inputs to outputs, for programs that run a model once.

use std::ops::Index;

use crate::error::{Error, ItemKind, Result};
use crate::interpreter::signature::SignatureRunner;
use crate::interpreter::{Interpreter, Tensor};
use crate::model::Model;

/// The outputs of [`Model::run`], in the order of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    list: Vec<Output>,
}

/// An output of [`Model::run`].
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its name in the signature, or else the name of its tensor.
    pub name: String,
    /// Its dimensions, outermost first.
    pub shape: Vec<i32>,
    /// Its elements, dequantized if the tensor is quantized.
    pub values: Vec<f32>,
}

impl Outputs {
    /// The output with this name.
    pub fn get(&self, name: &str) -> Option<&Output> {
        self.list.iter().find(|output| output.name == name)
    }

    /// All outputs.
    pub fn iter(&self) -> std::slice::Iter<'_, Output> {
        self.list.iter()
    }
}

impl Index<usize> for Outputs {
    type Output = Output;

    /// Output `i`. Panics if the model has fewer.
    fn index(&self, i: usize) -> &Output {
        &self.list[i]
    }
}

impl<'a> IntoIterator for &'a Outputs {
    type Item = &'a Output;
    type IntoIter = std::slice::Iter<'a, Output>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Model {
    /// Runs the model once, with real numbers as inputs and outputs. They are quantized and dequantized where the
    /// tensors are.
    ///
    /// Inputs and outputs have the names in the signature if the model has exactly one signature, otherwise the names
    /// of their tensors. Each input needs one number per element. If its shape leaves one dimension open, the number of
    /// elements determines it.
    ///
    /// Every call prepares the model again. To run it more than once, or with other types, delegates or settings, use
    /// an [`Interpreter`].
    ///
    /// ```no_run
    /// # use arenite_runtime as arenite;
    /// # fn main() -> arenite::Result<()> {
    /// let model = arenite::Model::from_file("classifier.tflite")?;
    /// let outputs = model.run([("image", &[0.5; 256])])?;
    /// println!("{:?}", outputs[0].values);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// An input is missing, unknown or given twice; its length differs; it or an output has a type without real
    /// numbers; also the errors of [`InterpreterBuilder::build`](crate::InterpreterBuilder::build),
    /// [`Interpreter::allocate`] and [`Interpreter::invoke`].
    pub fn run<N: AsRef<str>, V: AsRef<[f32]>>(
        &self,
        inputs: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Outputs> {
        let inputs: Vec<(N, V)> = inputs.into_iter().collect();
        let inputs: Vec<Input<'_>> = inputs
            .iter()
            .map(|(name, values)| Input { name: name.as_ref(), values: values.as_ref() })
            .collect();
        let mut interpreter = Interpreter::builder(self).build()?;
        match &self.signature_keys()[..] {
            [key] => run_signature(interpreter.signature(key)?, &inputs),
            _ => run_main(&mut interpreter, &inputs),
        }
    }
}

/// An input as the caller gives it.
struct Input<'a> {
    name: &'a str,
    values: &'a [f32],
}

fn run_signature(mut runner: SignatureRunner<'_>, inputs: &[Input<'_>]) -> Result<Outputs> {
    let names: Vec<String> = runner.input_names().map(str::to_owned).collect();
    for input in matched(&names, inputs)? {
        if let Some(shape) = resized(&runner.input(input.name)?, input.values.len()) {
            runner.resize_input(input.name, &shape)?;
        }
    }
    runner.allocate()?;
    for input in inputs {
        runner.input_mut(input.name)?.quantize(input.values)?;
    }
    runner.invoke()?;
    let names: Vec<String> = runner.output_names().map(str::to_owned).collect();
    let list = names.into_iter().map(|name| {
        let tensor = runner.output(&name)?;
        output(name, &tensor)
    });
    Ok(Outputs { list: list.collect::<Result<_>>()? })
}

fn run_main(interpreter: &mut Interpreter, inputs: &[Input<'_>]) -> Result<Outputs> {
    let names = (0..interpreter.input_count()).map(|i| Ok(interpreter.input(i)?.name.to_owned()));
    let names: Vec<String> = names.collect::<Result<_>>()?;
    for input in matched(&names, inputs)? {
        let i = interpreter.input_index(input.name)?;
        if let Some(shape) = resized(&interpreter.input(i)?, input.values.len()) {
            interpreter.resize_input(i, &shape)?;
        }
    }
    interpreter.allocate()?;
    for input in inputs {
        let i = interpreter.input_index(input.name)?;
        interpreter.input_mut(i)?.quantize(input.values)?;
    }
    interpreter.invoke()?;
    let list = (0..interpreter.output_count()).map(|i| {
        let tensor = interpreter.output(i)?;
        output(tensor.name.to_owned(), &tensor)
    });
    Ok(Outputs { list: list.collect::<Result<_>>()? })
}

/// Checks that `inputs` has each of the model's inputs once, and nothing else.
fn matched<'a, 'v>(names: &[String], inputs: &'a [Input<'v>]) -> Result<&'a [Input<'v>]> {
    for (i, input) in inputs.iter().enumerate() {
        if !names.iter().any(|name| name == input.name) {
            return Err(Error::not_found(ItemKind::Input, input.name, names));
        }
        if inputs.iter().take(i).any(|earlier| earlier.name == input.name) {
            return Err(Error::State(format!("input '{}' is given twice", input.name)));
        }
    }
    match names.iter().find(|name| !inputs.iter().any(|input| input.name == **name)) {
        Some(name) => Err(Error::State(format!(
            "input '{name}' is missing; the model's inputs are: {}",
            names.join(", ")
        ))),
        None => Ok(inputs),
    }
}

/// The shape with its open dimension chosen so that it has `count` elements; `None` if it fits already, or if no choice
/// or several choices fit.
fn resized(tensor: &Tensor<'_>, count: usize) -> Option<Vec<i32>> {
    let open = |d: &&i32| **d == -1;
    if tensor.shape_signature.iter().filter(open).count() != 1 {
        return None;
    }
    let fixed: usize =
        tensor.shape_signature.iter().filter(|d| !open(d)).map(|&d| d.max(0) as usize).product();
    let chosen = count.checked_div(fixed).filter(|chosen| chosen * fixed == count && *chosen > 0)?;
    let chosen = i32::try_from(chosen).ok()?;
    let shape: Vec<i32> = tensor.shape_signature.iter().map(|&d| if d == -1 { chosen } else { d }).collect();
    (shape != tensor.shape).then_some(shape)
}

fn output(name: String, tensor: &Tensor<'_>) -> Result<Output> {
    Ok(Output { name, shape: tensor.shape.to_vec(), values: tensor.dequantize()? })
}
