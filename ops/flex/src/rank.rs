//! Rank: the number of axes. Any type to I32.
//! Defined by: tensorflow/core/kernels/shape_ops.h.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;

/// The `FlexRank` op.
pub type Rank = Node<Definition>;

/// Shape function and kernel of `FlexRank`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexRank";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(Some(Dims::SCALAR))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        put_integers(call.output(0)?, [call.dims(0)?.rank() as i64])
    }
}
