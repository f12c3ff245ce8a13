//! Signatures: entry points with names for their inputs and outputs.

use crate::error::{Error, ItemKind, Result};
use crate::interpreter::{Interpreter, Port, Tensor, TensorMut};

/// Runs one signature of a model. Inputs and outputs are accessed by the names in the signature.
pub struct SignatureRunner<'a> {
    interpreter: &'a mut Interpreter,
    key: String,
    subgraph: usize,
    /// Name and position among the subgraph's inputs.
    inputs: Vec<(String, usize)>,
    outputs: Vec<(String, usize)>,
}

impl Interpreter {
    /// A runner for the signature with this key.
    ///
    /// # Errors
    /// No signature has the key, or its subgraph cannot be built.
    pub fn signature(&mut self, key: &str) -> Result<SignatureRunner<'_>> {
        SignatureRunner::new(self, key)
    }
}

impl<'a> SignatureRunner<'a> {
    pub(crate) fn new(interpreter: &'a mut Interpreter, key: &str) -> Result<Self> {
        let model = interpreter.model().clone();
        let view = model.view();
        let signature = view
            .signature(key)
            .ok_or_else(|| Error::not_found(ItemKind::Signature, key, model.signature_keys()))?;
        let subgraph = signature.subgraph_index() as usize;
        interpreter.executor_mut(subgraph)?;
        let ports = |port: Port, entries: Vec<(String, u32)>| {
            let tensors = interpreter.port_tensors(subgraph, port);
            let place = |(name, tensor): (String, u32)| {
                let position = tensors.iter().position(|&t| t as i64 == i64::from(tensor)).ok_or_else(|| {
                    Error::State(format!(
                        "signature '{key}': {} '{name}' names tensor {tensor}, which is no {} of subgraph {subgraph}",
                        port.named(),
                        port.named()
                    ))
                })?;
                Ok((name, position))
            };
            entries.into_iter().map(place).collect::<Result<Vec<_>>>()
        };
        let list = |maps: arenite_model::Tables<'_, arenite_model::TensorMap<'_>>| {
            maps.iter().map(|map| (map.name().unwrap_or("").to_owned(), map.tensor_index())).collect()
        };
        let inputs = ports(Port::Input, list(signature.inputs()))?;
        let outputs = ports(Port::Output, list(signature.outputs()))?;
        Ok(SignatureRunner { interpreter, key: key.to_owned(), subgraph, inputs, outputs })
    }

    /// The interpreter that it runs.
    pub fn interpreter(&self) -> &Interpreter {
        self.interpreter
    }

    /// The signature's key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Index of the subgraph that it runs.
    pub fn subgraph(&self) -> usize {
        self.subgraph
    }

    /// Names and tensors of the inputs, and of the outputs.
    pub(crate) fn tensors(&self) -> [Vec<(String, usize)>; 2] {
        let of = |port: Port, list: &[(String, usize)]| {
            let tensors = self.interpreter.port_tensors(self.subgraph, port);
            let named = list
                .iter()
                .filter_map(|(name, i)| Some((name.clone(), usize::try_from(*tensors.get(*i)?).ok()?)));
            named.collect()
        };
        [of(Port::Input, &self.inputs), of(Port::Output, &self.outputs)]
    }

    /// Names of the inputs.
    pub fn input_names(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(|(name, _)| name.as_str())
    }

    /// Names of the outputs.
    pub fn output_names(&self) -> impl Iterator<Item = &str> {
        self.outputs.iter().map(|(name, _)| name.as_str())
    }

    /// Sets the shape of an input. [`allocate`](Self::allocate) must follow.
    ///
    /// # Errors
    /// No input has the name, or the shape is invalid or larger than the quota.
    pub fn resize_input(&mut self, name: &str, shape: &[i32]) -> Result<()> {
        let i = self.find(Port::Input, name)?;
        self.interpreter.resize_in(self.subgraph, i, shape)
    }

    /// Prepares the signature's subgraph and plans its memory.
    ///
    /// # Errors
    /// As [`Interpreter::allocate`].
    pub fn allocate(&mut self) -> Result<()> {
        self.interpreter.allocate_subgraph(self.subgraph)
    }

    /// An input.
    ///
    /// # Errors
    /// No input has the name.
    pub fn input(&self, name: &str) -> Result<Tensor<'_>> {
        self.interpreter.tensor_in(self.subgraph, Port::Input, self.find(Port::Input, name)?)
    }

    /// An input, for writing.
    ///
    /// # Errors
    /// No input has the name, or it is constant.
    pub fn input_mut(&mut self, name: &str) -> Result<TensorMut<'_>> {
        let i = self.find(Port::Input, name)?;
        self.interpreter.tensor_in_mut(self.subgraph, i)
    }

    /// Sets an input of strings.
    ///
    /// # Errors
    /// No input has the name, or it is not of strings, or its shape has another number of elements.
    pub fn set_input_strings(&mut self, name: &str, strings: &[&[u8]]) -> Result<()> {
        let i = self.find(Port::Input, name)?;
        self.interpreter.set_strings_in(self.subgraph, i, strings)
    }

    /// Runs the signature once.
    ///
    /// # Errors
    /// As [`Interpreter::invoke`].
    pub fn invoke(&mut self) -> Result<()> {
        self.interpreter.invoke_subgraph(self.subgraph)
    }

    /// An output.
    ///
    /// # Errors
    /// No output has the name.
    pub fn output(&self, name: &str) -> Result<Tensor<'_>> {
        self.interpreter.tensor_in(self.subgraph, Port::Output, self.find(Port::Output, name)?)
    }

    fn find(&self, port: Port, name: &str) -> Result<usize> {
        let list = match port {
            Port::Input => &self.inputs,
            Port::Output => &self.outputs,
        };
        list.iter()
            .find(|(n, _)| n == name)
            .map(|(_, i)| *i)
            .ok_or_else(|| Error::not_found(port.named(), name, list.iter().map(|(n, _)| n)))
    }
}
