//! TensorListResize: truncates a tensor list, or extends it with absent elements. Inputs: list, length.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::List;
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListResize` op.
pub type TensorListResize = Node<Definition>;

/// Shape function and kernel of `FlexTensorListResize`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListResize";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let mut list = List::of(&call.input(0)?)?;
        let longer = List::reserved(list.ty, None, call.inputs().scalar(1)?.unwrap_or_default())?.elements;
        list.elements.resize(longer.len(), None);
        list.put(call.cx, 0)
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let x = || list(F32, Some(&[1]), &[Some(floats(&[1.0])), Some(floats(&[2.0]))]);
        let resized = |size: i32, elements: &[Option<Tensor>]| {
            gives::<super::TensorListResize>(&[], &[x(), int(size)], &[list(F32, Some(&[1]), elements)]);
        };
        resized(0, &[]);
        resized(1, &[Some(floats(&[1.0]))]);
        resized(3, &[Some(floats(&[1.0])), Some(floats(&[2.0])), None]);
    }

    #[test]
    fn refusals() {
        let refused = |size: Tensor, message: &str| {
            let inputs = [list(F32, None, &[]), size];
            refuses::<super::TensorListResize>(&[], &inputs, &[ElementType::Variant], message);
        };
        refused(int(-1), "a tensor list of -1 elements; 0..=1048576 are supported");
        refused(int(i32::MAX), "a tensor list of 2147483647 elements; 0..=1048576 are supported");
        refused(ints(&[1]), "'in1' is [1]; a scalar is needed");
    }
}
