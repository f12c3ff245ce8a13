//! LinSpace: numbers at equal distances from `start` to `stop`. Reals. Inputs: start, stop, how many.
//! Defined by: tensorflow/core/kernels/sequence_ops.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_reals, real};

/// The op.
pub type LinSpace = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexLinSpace";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let Some(count) = x.integer(2)? else { return Ok(None) };
        ensure!(count > 0, "{count} numbers; it must be positive");
        shape_of([count]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (start, stop) = (real(&call.input(0)?)?, real(&call.input(1)?)?);
        let y = call.output(0)?;
        let last = y.spec().len() - 1;
        let step = if last == 0 { 0.0 } else { (stop - start) / last as f64 };
        put_reals(y, (0..=last).map(|i| if i == last && last > 0 { stop } else { start + i as f64 * step }))
    }
}
