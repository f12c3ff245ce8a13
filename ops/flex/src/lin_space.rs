//! LinSpace: evenly spaced numbers from `start` to `stop`. Reals. Inputs: start, stop, count.
//! Defined by: tensorflow/core/kernels/sequence_ops.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_reals, real, round_as};

/// The `FlexLinSpace` op.
pub type LinSpace = Node<Definition>;

/// Shape function and kernel of `FlexLinSpace`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexLinSpace";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        for i in [0, 1] {
            let x = node.input(i)?;
            ensure!(x.rank() == 0, "{x} is {:?}; a scalar is needed", x.shape);
        }
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
        // Each step is rounded to the type, as TensorFlow does.
        let round = |x| round_as(y.ty(), x);
        let step = round(round(stop - start)? / last.max(1) as f64)?;
        let steps = (0..last).map(|i| round(i as f64 * step)).collect::<Result<Vec<_>>>()?;
        let values = steps.into_iter().map(|step| start + step);
        put_reals(y, values.chain([if last == 0 { start } else { stop }]))
    }
}
