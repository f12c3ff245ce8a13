//! TensorListGetItem: an element of a tensor list; zeros where it is absent. Inputs: list, index, element shape.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integer};
use crate::kit::node_def::NodeDef;
use crate::kit::list::{List, shape_argument};

/// The op.
pub type TensorListGetItem = Node<Definition>;

/// What it computes.
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
        let y = call.cx.node().output(0)?;
        ensure!(y.ty == list.ty, "the list's elements are {}, output '{}' is {}", list.ty, y.name, y.ty);
        match list.get(integer(&call.input(1)?)?)? {
            Some(element) => {
                call.cx.resize_string_output(0, &element.shape, element.data.len())?.into_bytes().copy_from_slice(element.data);
                Ok(())
            }
            None => {
                let shape = list.common_shape(shape_argument(&call.input(2)?)?)?;
                if y.ty == ElementType::String {
                    return call.put_strings(0, &shape, &vec![""; call.string_count(&shape, 0)?]);
                }
                call.cx.resize_output(0, shape.as_slice())?.into_bytes().fill(0);
                Ok(())
            }
        }
    }
}
