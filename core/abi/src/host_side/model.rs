//! What a node may do beyond its own tensors: call the model's other subgraphs, keep values.

use super::{HostSide, Refusal};
use crate::raw::{ArGraphV1, ArTensorV1};

/// A host that lends the model to a node.
pub trait CallerSide: HostSide {
    /// Whether nodes may ask for the model. A small machine may leave out what answers them.
    const LENDS_MODEL: bool = true;

    /// The model, for one callback.
    type Model<'a>: ModelSide<Refused = Self::Refused>
    where
        Self: 'a;

    /// The model.
    fn model(&mut self) -> Self::Model<'_>;
}

/// The model's subgraphs and resources. What only `eval` may do comes from there.
pub trait ModelSide {
    /// Why it refuses.
    type Refused: Refusal;

    /// The subgraph with the shapes that it has now; the graph lives as long as the call of the node.
    fn describe(&mut self, subgraph: u32) -> Result<*const ArGraphV1, Self::Refused>;

    /// How many inputs and outputs a subgraph has.
    fn ports(&mut self, subgraph: u32) -> Result<(usize, usize), Self::Refused>;

    /// In `prepare`: `eval` may assign a value of this type, rank and size. Of use where memory is taken ahead.
    ///
    /// # Safety
    /// What `value` points to is readable, but for its data.
    unsafe fn reserve(&mut self, _handle: i32, _value: &ArTensorV1) -> Result<(), Self::Refused> {
        Ok(())
    }

    /// Gives an input the shape of `value` and, unless `data` is null, its data, which are copied.
    ///
    /// # Safety
    /// What `value` points to is readable, and not memory of that subgraph.
    unsafe fn set_input(
        &mut self,
        subgraph: u32,
        input: u32,
        value: &ArTensorV1,
    ) -> Result<(), Self::Refused>;

    /// In `eval`: outputs of `from` become the inputs of `to` at the same positions; both may be the same.
    fn forward(&mut self, from: u32, to: u32) -> Result<(), Self::Refused>;

    /// Makes a subgraph ready for the shapes that its inputs have.
    fn prepare(&mut self, subgraph: u32) -> Result<(), Self::Refused>;

    /// In `eval`: runs a subgraph, made ready before if need be.
    fn invoke(&mut self, subgraph: u32) -> Result<(), Self::Refused>;

    /// An output as the last call left it; `TENSOR_DYNAMIC` if only a run tells its shape.
    fn output(&mut self, subgraph: u32, output: u32) -> Result<ArTensorV1, Self::Refused>;

    /// The handle of the resource with this name, made if there is none.
    fn open(&mut self, name: &[u8]) -> Result<i32, Self::Refused>;

    /// The value of a resource; [`ArTensorV1::NONE`] before it is assigned.
    fn value(&mut self, handle: i32) -> Result<ArTensorV1, Self::Refused>;

    /// In `eval`: gives a resource type, shape and data of `value`, which are copied.
    ///
    /// # Safety
    /// What `value` points to is readable.
    unsafe fn assign(&mut self, handle: i32, value: &ArTensorV1) -> Result<(), Self::Refused>;
}

pub(super) fn only_in_eval<R: Refusal>(runs: bool, what: &str) -> Result<(), R> {
    if runs {
        return Ok(());
    }
    Err(R::invalid(format_args!("prepare {what}; that is for eval")))
}
