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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let (a, b) = (floats(&[1.0, 2.0]), floats(&[3.0, 4.0]));
        let two = list(F32, Some(&[2]), &[Some(a.clone()), Some(b.clone())]);
        let one = list(F32, Some(&[2]), &[Some(a)]);
        gives::<super::TensorListPopBack>(&[], &[two, ints(&[2])], &[one, b]);
        // An absent element is zeros of the known shape.
        let absent = list(F32, Some(&[-1]), &[None]);
        gives::<super::TensorListPopBack>(
            &[],
            &[absent, ints(&[2])],
            &[list(F32, Some(&[-1]), &[]), floats(&[0.0; 2])],
        );
        let words = list(ElementType::String, Some(&[]), &[Some(text("a")), None]);
        let rest = list(ElementType::String, Some(&[]), &[Some(text("a"))]);
        gives::<super::TensorListPopBack>(&[], &[words, int(-1)], &[rest, text("")]);
    }

    #[test]
    fn refusals() {
        let refused = |x: Tensor, ty: ElementType, message: &str| {
            refuses::<super::TensorListPopBack>(&[], &[x, int(-1)], &[ElementType::Variant, ty], message);
        };
        refused(list(F32, None, &[]), F32, "the tensor list is empty");
        let one = list(F32, None, &[Some(float(1.0))]);
        refused(one, I32, "the list's elements are FLOAT32, output 'out1' is INT32; they must agree");
        refused(list(F32, None, &[None]), F32, "the shape of a tensor list's elements is not known");
    }
}
