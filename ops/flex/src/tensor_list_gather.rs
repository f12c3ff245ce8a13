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
