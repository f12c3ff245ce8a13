//! TensorListElementShape: the known part of the element shape of a tensor list; the scalar −1 if the rank is unknown.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::List;
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;

/// The `FlexTensorListElementShape` op.
pub type TensorListElementShape = Node<Definition>;

/// Shape function and kernel of `FlexTensorListElementShape`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListElementShape";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        match List::of(&call.input(0)?)?.shape {
            Some(shape) => put_integers(call.cx.resize_output(0, &[shape.len() as i32])?, shape),
            None => put_integers(call.cx.resize_output(0, &[])?, [-1]),
        }
    }
}
