//! Random numbers from a distribution. Input: the shape.

use core::marker::PhantomData;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::kernel::{Call, Inputs, Kernel, expect_rank};
use super::node_def::NodeDef;
use super::number::put_reals;
use super::random::{Distribution, Source, blocks, draw};

/// An op of this family.
pub trait Member: Send + Sync + 'static {
    /// The name of the custom op.
    const NAME: &'static str;
    /// The distribution that is sampled.
    const DISTRIBUTION: Distribution;
}

/// A prepared node of the family.
pub struct RandomDraw<M> {
    source: Source,
    of: PhantomData<fn() -> M>,
}

impl<M: Member> Kernel for RandomDraw<M> {
    const NAME: &'static str = M::NAME;
    const STATEFUL: bool = true;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(RandomDraw { source: Source::of(def)?, of: PhantomData })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        expect_rank(&x.get(0)?, 1)?;
        x.sizes(0)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let y = call.output(0)?;
        let (count, ty) = (y.spec().len(), y.ty());
        let generator = self.source.reserve(blocks(count));
        put_reals(y, draw(generator, count, M::DISTRIBUTION, ty)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::testing::node;
    use crate::kit::write::Attribute::Int;
    use arenite_abi::testing::Tensor;

    fn check<T: Op>() {
        let shape = [Tensor::i32(&[1], &[5])];
        // The next invocation continues the sequence.
        let steps = node::<T>(&[("seed", Int(42)), ("seed2", Int(7))], &shape, &[F32]);
        let outputs = steps.run_steps(&[&shape, &shape]).unwrap();
        assert_ne!(outputs[0], outputs[1]);
        // Without seeds, each node draws its own numbers.
        let own = || node::<T>(&[], &shape, &[F32]).run().unwrap();
        assert_ne!(own(), own());
    }

    #[test]
    fn sequences() {
        check::<crate::random_standard_normal::RandomStandardNormal>();
        check::<crate::random_uniform::RandomUniform>();
        check::<crate::truncated_normal::TruncatedNormal>();
    }
}
