//! Multinomial: draws classes by their unnormalized log probabilities. Reals to I32, I64. Inputs: logits `[batch,
//! classes]`, count.
//! Defined by: tensorflow/core/kernels/multinomial_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_rank, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_integers, reals};
use crate::kit::random::{Source, blocks, double_unit};

/// The `FlexMultinomial` op.
pub type Multinomial = Node<Definition>;

/// Attributes, shape function and kernel of `FlexMultinomial`.
pub struct Definition {
    source: Source,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexMultinomial";
    const STATEFUL: bool = true;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition { source: Source::of(def)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        expect_rank(&x.get(1)?, 0)?;
        let (dims, Some(count)) = (x.dims(0)?, x.integer(1)?) else { return Ok(None) };
        ensure!(
            dims.rank() == 2 && dims.size(1) > 0,
            "logits are {:?}; [batch, classes] is needed",
            dims.as_slice()
        );
        shape_of([dims.size(0) as i64, count]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, output) = (call.dims(0)?, call.output_dims(0)?);
        let (classes, samples) = (dims.size(1), output.size(1));
        let logits = reals(&call.input(0)?)?;
        let each = samples.next_multiple_of(4);
        let mut generator = self.source.reserve(blocks(dims.size(0).saturating_mul(each)));
        let mut waiting: Vec<f64> = Vec::new();
        let mut values = Vec::with_capacity(output.flat_size());
        for logits in logits.chunks_exact(classes) {
            let largest = logits.iter().copied().filter(|x| x.is_finite()).fold(f64::NEG_INFINITY, f64::max);
            let mut sum = 0.0;
            let sums: Vec<f64> = logits
                .iter()
                .map(|&x| {
                    sum += if x.is_finite() { libm::exp(x - largest) } else { 0.0 };
                    sum
                })
                .collect();
            for _ in 0..samples {
                if waiting.is_empty() {
                    let [a, b, c, d] = generator.block();
                    waiting.extend([double_unit(c, d), double_unit(a, b)]);
                }
                let to = waiting.pop().unwrap_or_default() * sum;
                values.push(sums.partition_point(|&s| s <= to).min(classes - 1) as i64);
            }
        }
        put_integers(call.output(0)?, values)
    }
}

#[cfg(test)]
mod tests {
    use super::Multinomial;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let seeds = [("seed", Int(42)), ("seed2", Int(7))];
        let inf = f64::INFINITY;
        // TensorFlow's numbers; a class with the logit −∞ is never drawn.
        let logits = [0.0, 0.0, 0.0, 0.0, 1.0, -inf];
        let want = [2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        for ty in [F16, BF16, F32, F64] {
            for to in [I32, I64] {
                let inputs = [of(ty, &[2, 3], &logits), int(8)];
                gives::<Multinomial>(&seeds, &inputs, &[of(to, &[2, 8], &want)]);
            }
        }
        gives::<Multinomial>(&seeds, &[of(F32, &[1, 1], &[3.0]), int(2)], &[of(I32, &[1, 2], &[0.0; 2])]);
        gives::<Multinomial>(&seeds, &[of(F32, &[2, 3], &logits), int(0)], &[of(I32, &[2, 0], &[])]);
        gives::<Multinomial>(&seeds, &[of(F32, &[0, 3], &[]), int(2)], &[of(I32, &[0, 2], &[])]);
    }

    #[test]
    fn refusals() {
        let refused = |logits: &[i32], count: Tensor, message: &str| {
            let logits = of(F32, logits, &vec![0.0; logits.iter().product::<i32>() as usize]);
            refuses::<Multinomial>(&[("seed", Int(1))], &[logits, count], &[I64], message);
        };
        refused(&[3], int(1), "logits are [3]; [batch, classes] is needed");
        refused(&[1, 0], int(1), "logits are [1, 0]; [batch, classes] is needed");
        refused(&[1, 3], list(&[1]), "'in1' is [1]; it must have 0 axes");
        let message =
            "[1, -1] is not a valid shape; sizes must not be negative, and at most 8 axes are supported";
        refused(&[1, 3], int(-1), message);
    }
}
