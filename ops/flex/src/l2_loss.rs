//! L2Loss: half the sum of squares. Reals.
//! Defined by: tensorflow/core/kernels/l2loss_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_reals, reals, same_reals};

/// The `FlexL2Loss` op.
pub type L2Loss = Node<Definition>;

/// Shape function and kernel of `FlexL2Loss`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexL2Loss";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        same_reals(&x, &y)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(Some(Dims::SCALAR))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let sum: f64 = reals(&call.input(0)?)?.iter().map(|x| x * x).sum();
        put_reals(call.output(0)?, [sum / 2.0])
    }
}

#[cfg(test)]
mod tests {
    use super::L2Loss;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;

    #[test]
    fn values() {
        gives::<L2Loss>(&[], &[of(F32, &[2, 2], &[1.0, -2.0, 3.0, 4.0])], of(F32, &[], &[15.0]));
        for ty in [F16, BF16, F64] {
            gives::<L2Loss>(&[], &[of(ty, &[2], &[1.0, 2.0])], of(ty, &[], &[2.5]));
        }
    }

    #[test]
    fn edges() {
        gives::<L2Loss>(&[], &[of(F32, &[], &[3.0])], of(F32, &[], &[4.5]));
        gives::<L2Loss>(&[], &[of(F32, &[0], &[])], of(F32, &[], &[0.0]));
        gives::<L2Loss>(&[], &[of(F32, &[2], &[1.0, NAN])], of(F32, &[], &[NAN]));
        gives::<L2Loss>(&[], &[of(F32, &[2], &[-INF, 1.0])], of(F32, &[], &[INF]));
    }

    #[test]
    fn refusals() {
        denies::<L2Loss>(
            &[of(F32, &[1], &[1.0])],
            F64,
            "input 'in0' is FLOAT32, output 'out0' is FLOAT64; they must agree",
        );
    }
}
