//! L2Loss: half the sum of squares. Reals.
//! Defined by: tensorflow/core/kernels/l2loss_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_reals, reals};

/// The op.
pub type L2Loss = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexL2Loss";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
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
