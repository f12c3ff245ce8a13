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
