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
            ensure!(x.rank() == 0, "'{}' is {:?}; a scalar is needed", x.name, x.shape);
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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        gives::<super::LinSpace>(
            &[],
            &[float(0.0), float(1.0), int(5)],
            &[floats(&[0.0, 0.25, 0.5, 0.75, 1.0])],
        );
        gives::<super::LinSpace>(&[], &[double(1.0), double(-1.0), long(3)], &[doubles(&[1.0, 0.0, -1.0])]);
        gives::<super::LinSpace>(&[], &[float(3.0), float(1.0), int(1)], &[floats(&[3.0])]);
        // Each step is rounded to the type.
        let want = [0.3, 0.5, 0.700_000_05, 0.900_000_04, 1.100_000_1, 1.300_000_2, 1.5, 1.7, 1.900_000_1];
        let want = [&want[..], &[2.100_000_1, 2.300_000_2, 2.500_000_2, 2.7, 2.9]].concat();
        gives::<super::LinSpace>(&[], &[float(0.3), float(2.9), int(14)], &[floats(&want)]);
    }

    #[test]
    fn refusals() {
        refuses::<super::LinSpace>(
            &[],
            &[float(0.0), float(1.0), int(0)],
            &[F32],
            "0 numbers; it must be positive",
        );
        refuses::<super::LinSpace>(
            &[],
            &[float(0.0), float(1.0), int(-1)],
            &[F32],
            "-1 numbers; it must be positive",
        );
        refuses::<super::LinSpace>(
            &[],
            &[floats(&[0.0]), float(1.0), int(2)],
            &[F32],
            "'in0' is [1]; a scalar is needed",
        );
    }
}
