//! ReverseV2: the elements along axes from last to first. Any type.
//! Defined by: tensorflow/core/kernels/reverse_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integers};
use crate::kit::node_def::NodeDef;
use crate::kit::elements::{pick, ravel, unravel};

/// The op.
pub type ReverseV2 = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexReverseV2";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let axes = integers(&call.input(1)?)?;
        let axes = axes.iter().map(|&axis| axis_of(axis, dims.rank())).collect::<Result<Vec<_>>>()?;
        pick(call, 0, &[call.input(0)?], |k| {
            let mut at = unravel(k, &dims);
            axes.iter().for_each(|&axis| at[axis] = dims.size(axis) - 1 - at[axis]);
            Some((0, ravel(&at, &dims)))
        })
    }
}
