//! BiasAddV1: a number per channel added. Numbers. Inputs: x, bias.
//! Defined by: tensorflow/core/kernels/bias_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The op.
pub type BiasAddV1 = Node<Definition>;

/// What it computes.
pub struct Definition {
    channels_first: bool,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexBiasAddV1";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition { channels_first: false })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, bias) = (x.dims(0)?, x.dims(1)?);
        let axis = if self.channels_first { 1 } else { dims.rank().wrapping_sub(1) };
        ensure!(
            dims.rank() >= 2 && bias.as_slice() == [dims.size(axis) as i32],
            "the bias is {:?}, the input {:?}",
            bias.as_slice(),
            dims.as_slice()
        );
        Ok(Some(dims))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let (_, size, inner) = dims.split_at(if self.channels_first { 1 } else { dims.rank() - 1 });
        let (mut y, bias) = (Values::of(&call.input(0)?)?, Values::of(&call.input(1)?)?);
        let one = match &y {
            Values::Real(_) => Values::Real(vec![1.0]),
            Values::Int(_) => Values::Int(vec![1]),
            Values::Complex(_) => Values::Complex(vec![Complex64 { re: 1.0, im: 0.0 }]),
        };
        let count = y.len();
        y.add_products(&bias, &one, &mut (0..count).map(|k| (k, k / inner % size, 0)));
        y.put(call.output(0)?)
    }
}
