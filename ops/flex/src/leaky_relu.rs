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
