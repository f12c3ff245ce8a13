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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let empty = list(F32, Some(&[-1]), &[]);
        let (a, b) = (floats(&[1.0]), floats(&[2.0, 3.0]));
        let one = list(F32, Some(&[-1]), &[Some(a.clone())]);
        gives::<super::TensorListPushBack>(&[], &[empty, a.clone()], from_ref(&one));
        let two = list(F32, Some(&[-1]), &[Some(a), Some(b.clone())]);
        gives::<super::TensorListPushBack>(&[], &[one, b], &[two]);
        let words = |elements: &[Option<Tensor>]| list(ElementType::String, None, elements);
        gives::<super::TensorListPushBack>(
            &[],
            &[words(&[None]), text("a")],
            &[words(&[None, Some(text("a"))])],
        );
    }

    #[test]
    fn refusals() {
        let variant = [ElementType::Variant];
        let empty = list(F32, Some(&[2]), &[]);
        let message = "'in1' is INT32, the list's elements are FLOAT32; they must agree";
        refuses::<super::TensorListPushBack>(&[], &[empty.clone(), ints(&[1, 2])], &variant, message);
        let message = "shapes [2] and [1] of a tensor list's elements do not agree";
        refuses::<super::TensorListPushBack>(&[], &[empty, floats(&[1.0])], &variant, message);
        let message = "'in0' is FLOAT32, not VARIANT";
        refuses::<super::TensorListPushBack>(&[], &[float(1.0), float(1.0)], &variant, message);
    }
}
