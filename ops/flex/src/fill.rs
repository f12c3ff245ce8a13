//! Fill: a tensor filled with one value. Any type. Inputs: shape, value.
//! Defined by: tensorflow/core/kernels/constant_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;

/// The `FlexFill` op.
pub type Fill = Node<Definition>;

/// Shape function and kernel of `FlexFill`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexFill";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.sizes(0)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        ensure!(call.input(1)?.len() == 1, "the value has {} elements; one is needed", call.input(1)?.len());
        pick(call, 0, &[call.input(1)?], |_| Some((0, 0)))
    }
}
