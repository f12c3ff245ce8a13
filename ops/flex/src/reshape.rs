//! Reshape: gives the elements another shape, in which one size may be −1. Any type.
//! Defined by: tensorflow/core/kernels/reshape_op.h.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexReshape` op.
pub type Reshape = Node<Definition>;

/// Shape function and kernel of `FlexReshape`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexReshape";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(mut sizes)) = (x.dims(0)?, x.integers(1)?) else { return Ok(None) };
        ensure!(x.dims(1)?.rank() <= 1, "the shape is {:?}; a list is needed", x.dims(1)?.as_slice());
        let unknown = sizes.iter().filter(|&&size| size == -1).count();
        ensure!(unknown <= 1, "{sizes:?} has more than one unknown size");
        // If another size is zero, the unknown size is computed as if the zeros were missing from both shapes.
        let zero = sizes.contains(&0);
        let product = |sizes: &mut dyn Iterator<Item = i64>| {
            sizes.filter(|&size| size != -1 && !(zero && size == 0)).fold(1, i64::saturating_mul)
        };
        let count = product(&mut dims.as_slice().iter().map(|&d| d.into()));
        let known = product(&mut sizes.iter().copied());
        sizes.iter_mut().filter(|size| **size == -1).for_each(|size| *size = count / known);
        let shape = shape_of(sizes)?;
        ensure!(
            shape.flat_size() == dims.flat_size(),
            "{:?} has {} elements, which do not fit {:?}",
            dims.as_slice(),
            dims.flat_size(),
            shape.as_slice()
        );
        Ok(Some(shape))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        pick(call, 0, &[call.input(0)?], |k| Some((0, k)))
    }
}
