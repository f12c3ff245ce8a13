//! TensorListSetItem: replaces an element of a tensor list. Inputs: list, index, element.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::{Element, List};
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListSetItem` op.
pub type TensorListSetItem = Node<Definition>;

/// Attributes, shape function and kernel of `FlexTensorListSetItem`.
pub struct Definition {
    resize: bool,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListSetItem";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition { resize: def.bool("resize_if_index_out_of_bounds", false)? })
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let mut list = List::of(&call.input(0)?)?;
        let (i, x) = (call.inputs().scalar(1)?.unwrap_or_default(), call.input(2)?);
        list.check(&x)?;
        if self.resize && i >= list.elements.len() as i64 {
            list.elements =
                [list.elements, List::reserved(list.ty, None, i.saturating_add(1))?.elements].concat();
            list.elements.truncate(i as usize + 1);
        }
        list.get(i)?;
        list.elements[i as usize] = Some(Element { shape: x.shape.to_vec(), data: x.bytes() });
        list.put(call.cx, 0)
    }
}
