//! TensorListPushBack: appends an element to a tensor list. Inputs: list, element.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::{Element, List};
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListPushBack` op.
pub type TensorListPushBack = Node<Definition>;

/// Shape function and kernel of `FlexTensorListPushBack`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListPushBack";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let mut list = List::of(&call.input(0)?)?;
        let x = call.input(1)?;
        list.check(&x)?;
        list.elements.push(Some(Element { shape: x.shape.to_vec(), data: x.bytes() }));
        list.put(call.cx, 0)
    }
}
