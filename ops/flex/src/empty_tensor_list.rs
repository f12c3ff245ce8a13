//! EmptyTensorList: an empty tensor list. Inputs: the element shape, the maximum number of elements.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::{List, shape_argument, type_argument};
use crate::kit::node_def::NodeDef;

/// The `FlexEmptyTensorList` op.
pub type EmptyTensorList = Node<Definition>;

/// Attributes, shape function and kernel of `FlexEmptyTensorList`.
pub struct Definition {
    ty: ElementType,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexEmptyTensorList";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition { ty: type_argument(def)? })
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        List::reserved(self.ty, shape_argument(&call.input(0)?)?, 0)?.put(call.cx, 0)
    }
}
