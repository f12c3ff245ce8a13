//! TensorListPopBack: removes the last element of a tensor list, and returns both. Inputs: list, element shape.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::{List, shape_argument};
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListPopBack` op.
pub type TensorListPopBack = Node<Definition>;

/// Shape function and kernel of `FlexTensorListPopBack`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListPopBack";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 2..=2)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let mut list = List::of(&call.input(0)?)?;
        let last = list.elements.last().cloned().ok_or_else(|| invalid!("the tensor list is empty"))?;
        list.put_element(call, 1, &last, shape_argument(&call.input(1)?)?, &[])?;
        list.elements.pop();
        list.put(call.cx, 0)
    }
}
