//! LeakyRelu: `y = x` above zero, else `alpha x`. Reals.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_reals, reals};

/// The op.
pub type LeakyRelu = Node<Definition>;

/// What it computes.
pub struct Definition {
    alpha: f64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexLeakyRelu";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
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
