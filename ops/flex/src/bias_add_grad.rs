//! BiasAddGrad: the sum over all axes except the channels. Reals, integers.
//! Defined by: tensorflow/core/kernels/bias_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexBiasAddGrad` op.
pub type BiasAddGrad = Node<Definition>;

/// Attributes, shape function and kernel of `FlexBiasAddGrad`.
pub struct Definition {
    channels_first: bool,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexBiasAddGrad";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Definition { channels_first: def.choice("data_format", &["NHWC", "NCHW"])? == 1 })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        ensure!(dims.rank() >= 2, "the gradient is {:?}; two axes are needed", dims.as_slice());
        shape_of([dims.size(if self.channels_first { 1 } else { dims.rank() - 1 }) as i64]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let (_, size, inner) = dims.split_at(if self.channels_first { 1 } else { dims.rank() - 1 });
        let x = Values::of(&call.input(0)?)?;
        let one = x.one();
        let mut y = x.zeros(size);
        y.add_products(&x, &one, &mut (0..x.len()).map(|k| (k / inner % size, k, 0)));
        y.put(call.output(0)?)
    }
}
