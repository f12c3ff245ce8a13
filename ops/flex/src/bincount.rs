//! Bincount: how often each number occurs, or the sum of its weights. I32. Inputs: the numbers, the number of bins, and
//! weights, which may be empty.
//! Defined by: tensorflow/core/kernels/bincount_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexBincount` op.
pub type Bincount = Node<Definition>;

/// Shape function and kernel of `FlexBincount`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexBincount";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let Some(size) = x.scalar(1)? else { return Ok(None) };
        shape_of([size]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let of = integers(&call.input(0)?)?;
        let weights = Values::of(&call.input(2)?)?;
        ensure!(
            weights.is_empty() || weights.len() == of.len(),
            "{} weights for {} numbers; their numbers must agree",
            weights.len(),
            of.len()
        );
        if let Some(negative) = of.iter().find(|&&i| i < 0) {
            return Err(invalid!("{negative} is negative; only non-negative numbers can be counted"));
        }
        let size = call.output_dims(0)?.flat_size();
        let ones = match &weights {
            Values::Real(w) if w.is_empty() => Values::Real(vec![1.0; of.len()]),
            Values::Int(w) if w.is_empty() => Values::Int(vec![1; of.len()]),
            given => given.clone(),
        };
        let one = match &ones {
            Values::Real(_) => Values::Real(vec![1.0]),
            Values::Int(_) => Values::Int(vec![1]),
            Values::Complex(_) => return Err(invalid!("weights are complex numbers")),
        };
        let mut y = ones.zeros(size);
        let mut places =
            of.iter().enumerate().filter(|&(_, &i)| i < size as i64).map(|(k, &i)| (i as usize, k, 0));
        y.add_products(&ones, &one, &mut places);
        y.put(call.output(0)?)
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        gives::<super::Bincount>(&[], &[ints(&[1, 1, 5, 0]), int(3), ints(&[])], &[ints(&[1, 2, 0])]);
        gives::<super::Bincount>(
            &[],
            &[ints(&[1, 1, 0]), int(3), floats(&[0.5, 0.25, 1.0])],
            &[floats(&[1.0, 0.75, 0.0])],
        );
        gives::<super::Bincount>(&[], &[ints(&[1, 1]), int(2), doubles(&[])], &[doubles(&[0.0, 2.0])]);
        let inputs = [Tensor::i32(&[1, 2], &[1, 1]), int(2), Tensor::i64(&[1, 2], &[3, 4])];
        gives::<super::Bincount>(&[], &inputs, &[longs(&[0, 7])]);
        gives::<super::Bincount>(&[], &[ints(&[1]), int(0), floats(&[])], &[floats(&[])]);
        gives::<super::Bincount>(&[], &[ints(&[]), int(2), floats(&[])], &[floats(&[0.0, 0.0])]);
    }

    #[test]
    fn refusals() {
        let refused = |of: &[i32], size: Tensor, weights: &[i32], message: &str| {
            refuses::<super::Bincount>(&[], &[ints(of), size, ints(weights)], &[I32], message);
        };
        refused(&[1, -1], int(3), &[], "-1 is negative; only non-negative numbers can be counted");
        refused(&[1, 1], int(3), &[1], "1 weights for 2 numbers; their numbers must agree");
        refused(&[1], ints(&[3]), &[], "'in1' is [1]; a scalar is needed");
        let message =
            "[-3] is not a valid shape; sizes must not be negative, and at most 8 axes are supported";
        refused(&[1], int(-3), &[], message);
    }
}
