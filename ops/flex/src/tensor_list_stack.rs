//! TensorListStack: stacks all elements of a tensor list; absent elements are zeros. Inputs: list, element shape.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::list::{List, put_elements, shape_argument};
use crate::kit::node_def::NodeDef;

/// The `FlexTensorListStack` op.
pub type TensorListStack = Node<Definition>;

/// Attributes, shape function and kernel of `FlexTensorListStack`.
pub struct Definition {
    count: i64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListStack";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition { count: def.int("num_elements", -1)? })
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let list = List::of(&call.input(0)?)?;
        list.check_output(call, 0)?;
        let count = list.elements.len();
        ensure!(
            self.count < 0 || self.count == count as i64,
            "the tensor list has {count} elements; it must have {}",
            self.count
        );
        let each = list.common_shape(shape_argument(&call.input(1)?)?, &list.elements)?;
        let shape = shape_of(
            [count as i64].into_iter().chain(each.as_slice().iter().map(|&d| d.into())).collect::<Vec<_>>(),
        )?;
        let elements: Vec<_> = list.elements.iter().collect();
        put_elements(call, 0, &shape, &elements, &vec![each.flat_size(); count])
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let elements = list(x(&[], &[0]).ty(), Some(&[-1]), &[Some(x(&[2], &[1, 2])), None]);
            gives::<super::TensorListStack>(&[], &[elements, ints(&[2])], &[x(&[2, 2], &[1, 2, 0, 0])]);
        });
        let scalars = list(F32, None, &[Some(float(1.0)), Some(float(2.0))]);
        gives::<super::TensorListStack>(
            &[("num_elements", Int(2))],
            &[scalars, int(-1)],
            &[floats(&[1.0, 2.0])],
        );
        let empty = list(F32, Some(&[3]), &[]);
        gives::<super::TensorListStack>(&[], &[empty, int(-1)], &[Tensor::f32(&[0, 3], &[])]);
    }

    #[test]
    fn refusals() {
        let refused = |attributes: &[(&str, Attribute<'_>)], x: Tensor, ty: ElementType, message: &str| {
            refuses::<super::TensorListStack>(attributes, &[x, int(-1)], &[ty], message);
        };
        let (a, b) = (Some(floats(&[1.0])), Some(floats(&[1.0, 2.0])));
        let uneven = list(F32, None, &[a.clone(), b]);
        refused(&[], uneven, F32, "shapes [1] and [2] of a tensor list's elements do not agree");
        refused(&[], list(F32, None, &[]), F32, "the shape of a tensor list's elements is not known");
        let one = list(F32, None, &[a]);
        let message = "the tensor list has 1 elements; it must have 2";
        refused(&[("num_elements", Int(2))], one.clone(), F32, message);
        refused(&[], one, I32, "the list's elements are FLOAT32, output 'out0' is INT32; they must agree");
    }
}
