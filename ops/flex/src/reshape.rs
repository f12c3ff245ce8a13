//! Reshape: the same elements in another shape, of which one size may be −1. Any type.
//! Defined by: tensorflow/core/kernels/reshape_op.h.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::elements::pick;

/// The op.
pub type Reshape = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexReshape";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(mut sizes)) = (x.dims(0)?, x.integers(1)?) else { return Ok(None) };
        let known: i64 = sizes.iter().filter(|&&size| size != -1).fold(1, |n, &size| n.saturating_mul(size));
        let count = dims.flat_size() as i64;
        ensure!(sizes.iter().filter(|&&size| size == -1).count() <= 1, "{sizes:?} has more than one unknown size");
        for size in sizes.iter_mut().filter(|size| **size == -1) {
            *size = if known == 0 { 0 } else { count / known };
        }
        let shape = shape_of(sizes)?;
        ensure!(
            shape.flat_size() == dims.flat_size(),
            "{:?} has {count} elements, which do not fit {:?}",
            dims.as_slice(),
            shape.as_slice()
        );
        Ok(Some(shape))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        pick(call, 0, &[call.input(0)?], |k| Some((0, k)))
    }
}
