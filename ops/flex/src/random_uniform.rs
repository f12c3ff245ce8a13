//! RandomUniform: random numbers, evenly in `0..1`. F16, BF16, F32, F64. Input: shape. One seed gives TensorFlow's numbers.
//! Defined by: tensorflow/core/kernels/random_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_reals;
use crate::kit::random::{Distribution, Source, blocks, draw};

/// The op.
pub type RandomUniform = Node<Definition>;

/// What it computes.
pub struct Definition {
    source: Source,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexRandomUniform";
    const STATEFUL: bool = true;
    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Definition { source: Source::of(def)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.sizes(0)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let y = call.output(0)?;
        let (count, ty) = (y.spec().len(), y.ty());
        let generator = self.source.reserve(blocks(count));
        put_reals(y, draw(generator, count, Distribution::Uniform, ty)?)
    }
}
