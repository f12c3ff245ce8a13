//! ReverseV2: reverses the elements along axes. Any type.
//! Defined by: tensorflow/core/kernels/reverse_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{pick, ravel, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integers};
use crate::kit::node_def::NodeDef;

/// The `FlexReverseV2` op.
pub type ReverseV2 = Node<Definition>;

/// Shape function and kernel of `FlexReverseV2`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexReverseV2";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        let axes = node.input(1)?;
        ensure!(axes.rank() == 1, "{axes} is {:?}; a list is needed", axes.shape);
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let axes = integers(&call.input(1)?)?;
        let axes = axes.iter().map(|&axis| axis_of(axis, dims.rank())).collect::<Result<Vec<_>>>()?;
        for (i, axis) in axes.iter().enumerate() {
            ensure!(!axes[..i].contains(axis), "axis {axis} is listed twice");
        }
        pick(call, 0, &[call.input(0)?], |k| {
            let mut at = unravel(k, &dims);
            axes.iter().for_each(|&axis| at[axis] = dims.size(axis) - 1 - at[axis]);
            Some((0, ravel(&at, &dims)))
        })
    }
}
