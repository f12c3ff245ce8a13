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
            ensure!(value.is_finite(), "{}: element {i} of {x} is {value}", self.message);
        }
        pick(call, 0, &[x], |k| Some((0, k)))
    }
}
