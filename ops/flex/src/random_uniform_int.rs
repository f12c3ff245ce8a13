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

#[cfg(test)]
mod tests {
    use super::RandomUniformInt;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let seeds = [("seed", Int(42)), ("seed2", Int(7))];
        // TensorFlow's numbers in −5..5.
        let draw = |ty, shape: &[i32], low: f64, high: f64, want: &[f64]| {
            let inputs = [list(shape), of(ty, &[], &[low]), of(ty, &[], &[high])];
            gives::<RandomUniformInt>(&seeds, &inputs, &[of(ty, shape, want)]);
        };
        draw(I32, &[6], -5.0, 5.0, &[1.0, 3.0, 4.0, -2.0, -3.0, 3.0]);
        draw(I64, &[2, 3], -5.0, 5.0, &[-1.0, 2.0, -5.0, -4.0, -1.0, -3.0]);
        draw(I32, &[3], 7.0, 8.0, &[7.0; 3]);
        // For an empty output the bounds do not matter.
        draw(I32, &[0], 5.0, 2.0, &[]);
        draw(I64, &[2, 0], 5.0, 2.0, &[]);
    }

    #[test]
    fn refusals() {
        let refused = |shape: Tensor, low: Tensor, high: Tensor, message: &str| {
            refuses::<RandomUniformInt>(&[("seed", Int(1))], &[shape, low, high], &[I32], message);
        };
        refused(list(&[1]), int(3), int(3), "low is 3, high 3; low must be less");
        refused(list(&[1]), int(3), int(-3), "low is 3, high -3; low must be less");
        refused(list(&[1]), list(&[0]), int(3), "'in1' is [1]; it must have 0 axes");
        refused(int(1), int(0), int(3), "'in0' is []; it must have 1 axes");
        let message =
            "[-2] is not a valid shape; sizes must not be negative, and at most 8 axes are supported";
        refused(list(&[-2]), int(0), int(3), message);
    }
}
