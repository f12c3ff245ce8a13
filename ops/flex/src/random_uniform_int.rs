//! RandomUniformInt: random integers, uniform in `low..high`. I32, I64. Inputs: shape, low, high.
//! Defined by: tensorflow/core/kernels/random_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_rank, integer};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;
use crate::kit::random::{Source, blocks};

/// The `FlexRandomUniformInt` op.
pub type RandomUniformInt = Node<Definition>;

/// Attributes, shape function and kernel of `FlexRandomUniformInt`.
pub struct Definition {
    source: Source,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexRandomUniformInt";
    const STATEFUL: bool = true;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition { source: Source::of(def)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        for (i, rank) in [1, 0, 0].into_iter().enumerate() {
            expect_rank(&x.get(i)?, rank)?;
        }
        x.sizes(0)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (low, high) = (integer(&call.input(1)?)?, integer(&call.input(2)?)?);
        let y = call.output(0)?;
        let count = y.spec().len();
        ensure!(low < high || count == 0, "low is {low}, high {high}; low must be less");
        let range = high.wrapping_sub(low) as u64;
        let mut generator = self.source.reserve(blocks(count));
        let long = y.ty() == I64;
        let mut values = Vec::with_capacity(count + 4);
        while values.len() < count {
            let [a, b, c, d] = generator.block();
            let at = |x: u64| low.wrapping_add((x % range) as i64);
            if long {
                values.extend([(a, b), (c, d)].map(|(low, high)| at(u64::from(low) | u64::from(high) << 32)));
            } else {
                values.extend([a, b, c, d].map(|x| at(x.into())));
            }
        }
        values.truncate(count);
        put_integers(y, values)
    }
}
