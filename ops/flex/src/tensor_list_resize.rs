//! TensorListResize: truncates a tensor list, or extends it with absent elements. Inputs: list, length.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::List;
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListResize` op.
pub type TensorListResize = Node<Definition>;

/// Shape function and kernel of `FlexTensorListResize`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListResize";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let mut list = List::of(&call.input(0)?)?;
        let longer = List::reserved(list.ty, None, call.inputs().scalar(1)?.unwrap_or_default())?.elements;
        list.elements.resize(longer.len(), None);
        list.put(call.cx, 0)
    }
}
