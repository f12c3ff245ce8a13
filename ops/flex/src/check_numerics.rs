//! CheckNumerics: copies the input; fails if a number is not finite. Reals.
//! Defined by: tensorflow/core/kernels/check_numerics_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{reals, same_reals};

/// The `FlexCheckNumerics` op.
pub type CheckNumerics = Node<Definition>;

/// Attributes, shape function and kernel of `FlexCheckNumerics`.
pub struct Definition {
    message: String,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexCheckNumerics";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        same_reals(&x, &y)?;
        Ok(Definition { message: def.text("message", "")?.into() })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let x = call.input(0)?;
        for (i, value) in reals(&x)?.into_iter().enumerate() {
            ensure!(value.is_finite(), "{}: element {i} of '{}' is {value}", self.message, x.name);
        }
        pick(call, 0, &[x], |k| Some((0, k)))
    }
}

#[cfg(test)]
mod tests {
    use super::CheckNumerics;
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use arenite_abi::prelude::*;

    #[test]
    fn values() {
        let message = [("message", Attribute::Text("m"))];
        gives::<CheckNumerics>(
            &message,
            &[of(F32, &[2, 2], &[1.0, -2.0, 3.0, 0.0])],
            of(F32, &[2, 2], &[1.0, -2.0, 3.0, 0.0]),
        );
        gives::<CheckNumerics>(&message, &[of(F32, &[], &[3.0])], of(F32, &[], &[3.0]));
        gives::<CheckNumerics>(&message, &[of(F32, &[0], &[])], of(F32, &[0], &[]));
        for ty in [F16, BF16, F64] {
            gives::<CheckNumerics>(&message, &[of(ty, &[2], &[1.0, 2.0])], of(ty, &[2], &[1.0, 2.0]));
        }
    }

    #[test]
    fn refusals() {
        let message = [("message", Attribute::Text("weights"))];
        assert_eq!(
            refusal::<CheckNumerics>(&message, &[of(F32, &[3], &[1.0, NAN, INF])], &[F32]),
            "weights: element 1 of 'in0' is NaN"
        );
        assert_eq!(
            refusal::<CheckNumerics>(&message, &[of(F32, &[2], &[1.0, -INF])], &[F32]),
            "weights: element 1 of 'in0' is -inf"
        );
        denies::<CheckNumerics>(
            &[of(F32, &[1], &[1.0])],
            F64,
            "input 'in0' is FLOAT32, output 'out0' is FLOAT64; they must agree",
        );
    }
}
