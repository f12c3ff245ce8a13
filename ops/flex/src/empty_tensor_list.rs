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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    const FLOATS: [(&str, Attribute<'_>); 1] = [("element_dtype", Type(F32))];

    #[test]
    fn values() {
        let new = |shape: Tensor, want: Tensor| {
            gives::<super::EmptyTensorList>(&FLOATS, &[shape, int(-1)], &[want]);
        };
        new(ints(&[2, -1]), list(F32, Some(&[2, -1]), &[]));
        new(longs(&[]), list(F32, Some(&[]), &[]));
        new(int(-1), list(F32, None, &[]));
    }

    #[test]
    fn refusals() {
        let variant = [ElementType::Variant];
        let message = "attribute 'element_dtype' is missing";
        refuses::<super::EmptyTensorList>(&[], &[int(-1), int(-1)], &variant, message);
        let message = "the element shape is the scalar 2; a list of sizes, or -1, is needed";
        refuses::<super::EmptyTensorList>(&FLOATS, &[int(2), int(-1)], &variant, message);
        let message = "the element shape is [-2]; sizes must be at least 0, or -1 if unknown";
        refuses::<super::EmptyTensorList>(&FLOATS, &[ints(&[-2]), int(-1)], &variant, message);
    }
}
