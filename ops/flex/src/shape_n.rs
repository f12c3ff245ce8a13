//! ShapeN: the sizes of each input. Any type to I32, I64.
//! Defined by: tensorflow/core/kernels/shape_ops.h.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;

/// The `FlexShapeN` op.
pub type ShapeN = Node<Definition>;

/// Shape function and kernel of `FlexShapeN`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexShapeN";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        let (inputs, outputs) = (node.input_count(), node.output_count());
        ensure!(
            inputs == outputs,
            "it has {inputs} inputs and {outputs} outputs; there must be equally many"
        );
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        shape_of([x.dims(output)?.rank() as i64]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        for i in (0..call.cx.output_count()).filter(|&i| call.wants(i)) {
            let dims = call.dims(i)?;
            put_integers(call.output(i)?, dims.as_slice().iter().map(|&d| d.into()))?;
        }
        Ok(())
    }
}
