//! TensorListGather: stacks the elements of a tensor list at the given indices; absent elements are zeros. Inputs:
//! list, indices, element shape.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers, shape_of};
use crate::kit::list::{List, put_elements, shape_argument};
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListGather` op.
pub type TensorListGather = Node<Definition>;

/// Shape function and kernel of `FlexTensorListGather`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListGather";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let list = List::of(&call.input(0)?)?;
        list.check_output(call, 0)?;
        let indices = integers(&call.input(1)?)?;
        let elements = indices.iter().map(|&i| list.get(i)).collect::<Result<Vec<_>>>()?;
        let each = list.common_shape(shape_argument(&call.input(2)?)?, elements.iter().copied())?;
        let inner = each.as_slice().iter().map(|&d| d.into());
        let shape = shape_of(core::iter::once(elements.len() as i64).chain(inner))?;
        put_elements(call, 0, &shape, &elements, &vec![each.flat_size(); elements.len()])
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let elements = list(x(&[], &[0]).ty(), Some(&[2]), &[Some(x(&[2], &[1, 2])), None]);
            let inputs = [elements, ints(&[1, 0, 0]), ints(&[2])];
            gives::<super::TensorListGather>(&[], &inputs, &[x(&[3, 2], &[0, 0, 1, 2, 1, 2])]);
        });
        // Only the elements that are gathered must have the same shape.
        let uneven = list(F32, None, &[Some(floats(&[1.0, 2.0])), Some(floats(&[3.0]))]);
        gives::<super::TensorListGather>(
            &[],
            &[uneven, ints(&[1]), int(-1)],
            &[Tensor::f32(&[1, 1], &[3.0])],
        );
        let inputs = [list(F32, Some(&[2]), &[]), ints(&[]), int(-1)];
        gives::<super::TensorListGather>(&[], &inputs, &[Tensor::f32(&[0, 2], &[])]);
    }

    #[test]
    fn refusals() {
        let refused = |indices: &[i32], shape: Tensor, ty: ElementType, message: &str| {
            let x = list(F32, None, &[Some(floats(&[1.0, 2.0])), None, Some(floats(&[3.0]))]);
            refuses::<super::TensorListGather>(&[], &[x, ints(indices), shape], &[ty], message);
        };
        refused(&[3], int(-1), F32, "element 3 of a tensor list of 3");
        refused(&[-1], int(-1), F32, "element -1 of a tensor list of 3");
        refused(&[0, 2], int(-1), F32, "shapes [2] and [1] of a tensor list's elements do not agree");
        refused(&[0], ints(&[3]), F32, "shapes [3] and [2] of a tensor list's elements do not agree");
        refused(&[1], int(-1), F32, "the shape of a tensor list's elements is not known");
        refused(&[], ints(&[-1]), F32, "the shape [-1] of a tensor list's elements is not fully known");
        refused(
            &[0],
            int(-1),
            I32,
            "the list's elements are FLOAT32, output 'out0' is INT32; they must agree",
        );
    }
}
