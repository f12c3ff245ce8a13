//! TensorListPopBack: a tensor list without its last element, and that. Inputs: list, element shape.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::list::{List, shape_argument};

/// The op.
pub type TensorListPopBack = Node<Definition>;

/// What it computes.
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
        let last = list.elements.pop().ok_or_else(|| invalid!("the tensor list is empty"))?;
        let y = call.cx.node().output(1)?;
        ensure!(y.ty == list.ty, "the list's elements are {}, output '{}' is {}", list.ty, y.name, y.ty);
        match last {
            Some(element) => {
                let y = call.cx.resize_string_output(1, &element.shape, element.data.len())?;
                y.into_bytes().copy_from_slice(element.data);
            }
            None => {
                let shape = list.common_shape(shape_argument(&call.input(1)?)?)?;
                ensure!(list.ty != ElementType::String, "an absent element of strings");
                call.cx.resize_output(1, shape.as_slice())?.into_bytes().fill(0);
            }
        }
        list.put(call.cx, 0)
    }
}
