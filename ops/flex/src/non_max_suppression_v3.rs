//! NonMaxSuppressionV3: boxes that do not overlap better ones too much. F32 to I32. Inputs: boxes, scores, most, overlap, lowest score.
//! Defined by: tensorflow/core/kernels/image/non_max_suppression_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integer};
use crate::kit::node_def::NodeDef;
use crate::kit::number::real;
use crate::kit::suppression::select;

/// The op.
pub type NonMaxSuppressionV3 = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexNonMaxSuppressionV3";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(5..=5, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let boxes = call.slice::<f32>(0)?.as_chunks::<4>().0;
        let most = integer(&call.input(2)?)?.max(0) as usize;
        let (limit, lowest) = (real(&call.input(3)?)? as f32, real(&call.input(4)?)? as f32);
        let stay = select(boxes, call.slice::<f32>(1)?, most, limit, lowest);
        let y = call.resized::<i32>(0, &[stay.len() as i32])?;
        y.iter_mut().zip(stay).for_each(|(y, i)| *y = i as i32);
        Ok(())
    }
}
