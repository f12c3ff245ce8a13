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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let x = || list(F32, Some(&[-1]), &[Some(floats(&[1.0, 2.0])), None]);
        gives::<super::TensorListGetItem>(&[], &[x(), int(0), int(-1)], &[floats(&[1.0, 2.0])]);
        // An absent element is zeros; its shape may come from the other elements.
        gives::<super::TensorListGetItem>(&[], &[x(), int(1), ints(&[2])], &[floats(&[0.0; 2])]);
        gives::<super::TensorListGetItem>(&[], &[x(), int(1), ints(&[-1])], &[floats(&[0.0; 2])]);
        let words = list(ElementType::String, Some(&[]), &[Some(text("a")), None]);
        gives::<super::TensorListGetItem>(&[], &[words.clone(), int(0), int(-1)], &[text("a")]);
        gives::<super::TensorListGetItem>(&[], &[words, int(1), int(-1)], &[text("")]);
    }

    #[test]
    fn refusals() {
        let refused = |x: Tensor, i: i32, ty: ElementType, message: &str| {
            refuses::<super::TensorListGetItem>(&[], &[x, int(i), int(-1)], &[ty], message);
        };
        let x = || list(F32, None, &[None]);
        refused(x(), 1, F32, "element 1 of a tensor list of 1");
        refused(x(), -1, F32, "element -1 of a tensor list of 1");
        refused(x(), 0, I32, "the list's elements are FLOAT32, output 'out0' is INT32; they must agree");
        refused(x(), 0, F32, "the shape of a tensor list's elements is not known");
        let open = list(F32, Some(&[2, -1]), &[None]);
        refused(open, 0, F32, "the shape [2, -1] of a tensor list's elements is not fully known");
        refused(float(1.0), 0, F32, "'in0' is FLOAT32, not VARIANT");
    }
}
