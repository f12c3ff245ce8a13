//! LeakyRelu: `y = x` where x is positive, else `alpha x`. Reals.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_reals, reals, same_reals};

/// The `FlexLeakyRelu` op.
pub type LeakyRelu = Node<Definition>;

/// Attributes, shape function and kernel of `FlexLeakyRelu`.
pub struct Definition {
    alpha: f64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexLeakyRelu";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        same_reals(&x, &y)?;
        Ok(Definition { alpha: def.float("alpha", 0.2)?.into() })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let x = reals(&call.input(0)?)?;
        put_reals(call.output(0)?, x.into_iter().map(|x| if x > 0.0 { x } else { self.alpha * x }))
    }
}

#[cfg(test)]
mod tests {
    use super::LeakyRelu;
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use arenite_abi::prelude::*;

    #[test]
    fn values() {
        let alpha = [("alpha", Attribute::Float(0.5))];
        gives::<LeakyRelu>(
            &[],
            &[of(F32, &[4], &[2.0, -2.0, 0.0, -5.0])],
            of(F32, &[4], &[2.0, -0.4, 0.0, -1.0]),
        );
        gives::<LeakyRelu>(&alpha, &[of(F32, &[2], &[2.0, -2.0])], of(F32, &[2], &[2.0, -1.0]));
        gives::<LeakyRelu>(
            &[("alpha", Attribute::Float(2.0))],
            &[of(F32, &[2], &[2.0, -2.0])],
            of(F32, &[2], &[2.0, -4.0]),
        );
        for ty in [F16, BF16, F64] {
            gives::<LeakyRelu>(&alpha, &[of(ty, &[2], &[2.0, -2.0])], of(ty, &[2], &[2.0, -1.0]));
        }
    }

    #[test]
    fn edges() {
        gives::<LeakyRelu>(&[], &[of(F32, &[3], &[INF, -INF, NAN])], of(F32, &[3], &[INF, -INF, NAN]));
        gives::<LeakyRelu>(
            &[("alpha", Attribute::Float(0.5))],
            &[of(F32, &[], &[-2.0])],
            of(F32, &[], &[-1.0]),
        );
        gives::<LeakyRelu>(&[], &[of(F32, &[0, 2], &[])], of(F32, &[0, 2], &[]));
    }

    #[test]
    fn refusals() {
        denies::<LeakyRelu>(
            &[of(F32, &[1], &[1.0])],
            F64,
            "input 'in0' is FLOAT32, output 'out0' is FLOAT64; they must agree",
        );
    }
}
