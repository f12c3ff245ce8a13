//! TensorListReserve: a tensor list of absent elements. Inputs: element shape, count.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::{List, shape_argument, type_argument};
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListReserve` op.
pub type TensorListReserve = Node<Definition>;

/// Attributes, shape function and kernel of `FlexTensorListReserve`.
pub struct Definition {
    ty: ElementType,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListReserve";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition { ty: type_argument(def)? })
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let shape = shape_argument(&call.input(0)?)?;
        List::reserved(self.ty, shape, call.inputs().scalar(1)?.unwrap_or_default())?.put(call.cx, 0)
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    const FLOATS: [(&str, Attribute<'_>); 1] = [("element_dtype", Type(F32))];

    #[test]
    fn values() {
        let inputs = [ints(&[2, -1]), int(2)];
        gives::<super::TensorListReserve>(&FLOATS, &inputs, &[list(F32, Some(&[2, -1]), &[None, None])]);
        gives::<super::TensorListReserve>(&FLOATS, &[int(-1), int(0)], &[list(F32, None, &[])]);
    }

    #[test]
    fn refusals() {
        let refused = |inputs: [Tensor; 2], message: &str| {
            refuses::<super::TensorListReserve>(&FLOATS, &inputs, &[ElementType::Variant], message);
        };
        refused([int(-1), int(-1)], "a tensor list of -1 elements; 0..=1048576 are supported");
        refused([int(-1), int(i32::MAX)], "a tensor list of 2147483647 elements; 0..=1048576 are supported");
        refused([int(-1), ints(&[1, 1])], "'in1' is [2]; a scalar is needed");
        let message = "attribute 'element_dtype' is missing";
        refuses::<super::TensorListReserve>(&[], &[int(-1), int(1)], &[ElementType::Variant], message);
    }
}
