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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let x = list(F32, Some(&[-1]), &[None, Some(floats(&[1.0]))]);
        let want = list(F32, Some(&[-1]), &[Some(floats(&[2.0, 3.0])), Some(floats(&[1.0]))]);
        gives::<super::TensorListSetItem>(&[], &[x.clone(), int(0), floats(&[2.0, 3.0])], &[want]);
        let want = list(F32, Some(&[-1]), &[None, Some(floats(&[5.0]))]);
        gives::<super::TensorListSetItem>(&[], &[x.clone(), int(1), floats(&[5.0])], &[want]);
        let resize = [("resize_if_index_out_of_bounds", Bool(true))];
        let want = list(F32, Some(&[-1]), &[None, Some(floats(&[1.0])), None, Some(floats(&[5.0]))]);
        gives::<super::TensorListSetItem>(&resize, &[x, int(3), floats(&[5.0])], &[want]);
    }

    #[test]
    fn refusals() {
        let refused = |i: i32, element: Tensor, message: &str| {
            let inputs = [list(F32, Some(&[1]), &[None]), int(i), element];
            refuses::<super::TensorListSetItem>(&[], &inputs, &[ElementType::Variant], message);
        };
        refused(1, floats(&[1.0]), "element 1 of a tensor list of 1");
        refused(-1, floats(&[1.0]), "element -1 of a tensor list of 1");
        refused(0, ints(&[1]), "'in2' is INT32, the list's elements are FLOAT32; they must agree");
        refused(0, float(1.0), "shapes [1] and [] of a tensor list's elements do not agree");
        let resize = [("resize_if_index_out_of_bounds", Bool(true))];
        let inputs = [list(F32, None, &[]), int(i32::MAX), float(1.0)];
        let message = "a tensor list of 2147483648 elements; 0..=1048576 are supported";
        refuses::<super::TensorListSetItem>(&resize, &inputs, &[ElementType::Variant], message);
    }
}
