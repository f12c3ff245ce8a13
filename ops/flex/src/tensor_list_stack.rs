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
