//! Requests of a node beyond its own tensors: running other subgraphs of the model, and keeping values.

use super::{HostSide, Refusal};
use crate::raw::{ArGraphV1, ArTensorV1};

/// A host that gives nodes access to the model.
pub trait CallerSide: HostSide {
    /// Whether nodes may access the model. A small machine may omit the code for it.
    const LENDS_MODEL: bool = true;

    /// Whether [`resource_version`](Self::resource_version) tells when the memory of resources changes.
    const KEEPS_RESOURCES: bool = false;

    /// A number that changes whenever the type, the shape or the address of a resource's value does.
    fn resource_version(&self) -> u64 {
        0
    }

    /// The model, during one callback.
    type Model<'a>: ModelSide<Refused = Self::Refused>
    where
        Self: 'a;

    /// The model's subgraphs and resources.
    fn model(&mut self) -> Self::Model<'_>;
}

/// The model's subgraphs and resources. Callbacks check which requests are allowed only in `eval`.
pub trait ModelSide {
    /// The error type.
    type Refused: Refusal;

    /// The subgraph with its current shapes. The graph is valid until the node's call returns.
    ///
    /// # Errors
    /// The subgraph does not exist or is running.
    fn describe(&mut self, subgraph: u32) -> Result<*const ArGraphV1, Self::Refused>;

    /// The number of inputs and outputs of a subgraph.
    ///
    /// # Errors
    /// The subgraph does not exist or is running.
    fn ports(&mut self, subgraph: u32) -> Result<(usize, usize), Self::Refused>;

    /// In `prepare`: announces that `eval` may assign a value of this type, rank and size. Used by hosts that allocate
    /// memory in advance.
    ///
    /// # Errors
    /// The resource does not exist, or the memory is not available.
    ///
    /// # Safety
    /// Everything that `value` points to must be readable, except for its data.
    unsafe fn reserve(&mut self, _handle: i32, _value: &ArTensorV1) -> Result<(), Self::Refused> {
        Ok(())
    }

    /// Sets the shape of an input and, unless `data` is null, copies the data to it.
    ///
    /// # Errors
    /// The subgraph or the input does not exist, or the types differ.
    ///
    /// # Safety
    /// Everything that `value` points to must be readable, and not in memory of that subgraph.
    unsafe fn set_input(
        &mut self,
        subgraph: u32,
        input: u32,
        value: &ArTensorV1,
    ) -> Result<(), Self::Refused>;

    /// In `eval`: makes outputs of `from` the inputs of `to` at the same positions. Both may be the same subgraph.
    ///
    /// # Errors
    /// A subgraph does not exist, or the types differ.
    fn forward(&mut self, from: u32, to: u32) -> Result<(), Self::Refused>;

    /// Prepares a subgraph for the current shapes of its inputs.
    ///
    /// # Errors
    /// The subgraph does not exist, or cannot be prepared.
    fn prepare(&mut self, subgraph: u32) -> Result<(), Self::Refused>;

    /// In `eval`: runs a subgraph, after preparing it if necessary.
    ///
    /// # Errors
    /// The subgraph does not exist, or fails.
    fn invoke(&mut self, subgraph: u32) -> Result<(), Self::Refused>;

    /// An output after the last call, with `TENSOR_DYNAMIC` if its shape is known only after a run.
    ///
    /// # Errors
    /// The subgraph or the output does not exist.
    fn output(&mut self, subgraph: u32, output: u32) -> Result<ArTensorV1, Self::Refused>;

    /// The handle of the resource with this name, which is created if necessary.
    ///
    /// # Errors
    /// There are too many resources.
    fn open(&mut self, name: &[u8]) -> Result<i32, Self::Refused>;

    /// The value of a resource; [`ArTensorV1::NONE`] before it is assigned.
    ///
    /// # Errors
    /// The handle is invalid.
    fn value(&mut self, handle: i32) -> Result<ArTensorV1, Self::Refused>;

    /// In `eval`: assigns the type, the shape and a copy of the data of `value` to a resource.
    ///
    /// # Errors
    /// The handle is invalid, or the memory is not available.
    ///
    /// # Safety
    /// Everything that `value` points to must be readable.
    unsafe fn assign(&mut self, handle: i32, value: &ArTensorV1) -> Result<(), Self::Refused>;
}

pub(super) fn only_in_eval<R: Refusal>(runs: bool, what: &str) -> Result<(), R> {
    if runs {
        return Ok(());
    }
    Err(R::invalid(format_args!("prepare {what}; that is for eval")))
}
