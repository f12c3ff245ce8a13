//! CheckNumerics: the input, an error if a number is not finite. Reals.
//! Defined by: tensorflow/core/kernels/check_numerics_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::elements::pick;
use crate::kit::number::reals;

/// The op.
pub type CheckNumerics = Node<Definition>;

/// What it computes.
pub struct Definition {
    message: String,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexCheckNumerics";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Definition { message: def.text("message", "")?.into() })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let bad = reals(&call.input(0)?)?.into_iter().find(|x| !x.is_finite());
        ensure!(bad.is_none(), "{}: the tensor has {}", self.message, bad.unwrap_or_default());
        pick(call, 0, &[call.input(0)?], |k| Some((0, k)))
    }
}
