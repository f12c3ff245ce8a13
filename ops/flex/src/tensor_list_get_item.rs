//! TensorListGetItem: one element of a tensor list; zeros if it is absent. Inputs: list, index, element shape.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::{List, shape_argument};
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListGetItem` op.
pub type TensorListGetItem = Node<Definition>;

/// Shape function and kernel of `FlexTensorListGetItem`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListGetItem";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let list = List::of(&call.input(0)?)?;
        let element = list.get(call.inputs().scalar(1)?.unwrap_or_default())?;
        list.put_element(call, 0, element, shape_argument(&call.input(2)?)?, &list.elements)
    }
}
