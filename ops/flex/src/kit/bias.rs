//! Adding one number per channel. Inputs: x, bias.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::kernel::{Call, Inputs, Program};
use super::node_def::NodeDef;
use super::values::Values;

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// Whether the attribute `data_format` selects the channel axis; otherwise it is the last one.
    pub has_format: bool,
}

/// A prepared node of the family.
pub struct Bias {
    channels_first: bool,
}

impl Program for Bias {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        let channels_first = of.has_format && def.choice("data_format", &["NHWC", "NCHW"])? == 1;
        Ok(Bias { channels_first })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, bias) = (x.dims(0)?, x.dims(1)?);
        let axis = if self.channels_first { 1 } else { dims.rank().wrapping_sub(1) };
        ensure!(
            dims.rank() >= 2 && bias.as_slice() == [dims.size(axis) as i32],
            "the bias is {:?}, the input {:?}; a number per channel is needed",
            bias.as_slice(),
            dims.as_slice()
        );
        Ok(Some(dims))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let (_, size, inner) = dims.split_at(if self.channels_first { 1 } else { dims.rank() - 1 });
        let (mut y, bias) = (Values::of(&call.input(0)?)?, Values::of(&call.input(1)?)?);
        let one = y.one();
        let count = y.len();
        y.add_products(&bias, &one, &mut (0..count).map(|k| (k, k / inner % size, 0)));
        y.put(call.output(0)?)
    }
}
