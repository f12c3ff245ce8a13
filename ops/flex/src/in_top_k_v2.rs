//! InTopKV2: whether the prediction for a row's target is among the row's `k` largest. Targets I32, I64. Inputs:
//! predictions F32 `[batch, classes]`, targets `[batch]`, `k`.
//! Defined by: tensorflow/core/kernels/in_topk_op.h.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_rank, integer, integers};
use crate::kit::node_def::NodeDef;

/// The `FlexInTopKV2` op.
pub type InTopKv2 = Node<Definition>;

/// Shape function and kernel of `FlexInTopKV2`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexInTopKV2";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (predictions, targets) = (x.dims(0)?, x.dims(1)?);
        ensure!(
            predictions.rank() == 2 && targets.as_slice() == &predictions.as_slice()[..1],
            "predictions are {:?} and targets {:?}; [batch, classes] and [batch] are needed",
            predictions.as_slice(),
            targets.as_slice()
        );
        expect_rank(&x.get(2)?, 0)?;
        Ok(Some(targets))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let classes = call.dims(0)?.size(1);
        let (predictions, targets) = (call.slice::<f32>(0)?, integers(&call.input(1)?)?);
        let k = integer(&call.input(2)?)?;
        let y = call.output_slice::<Bool>(0)?;
        for (i, (y, target)) in y.iter_mut().zip(targets).enumerate() {
            let row = &predictions[i * classes..][..classes];
            let own = usize::try_from(target).ok().and_then(|t| row.get(t)).filter(|own| own.is_finite());
            *y = Bool(own.is_some_and(|own| is_in(row, *own, k)).into());
        }
        Ok(())
    }
}

/// Whether fewer than `k` predictions of the row exceed `own`; `false` if any of them is not finite.
fn is_in(row: &[f32], own: f32, k: i64) -> bool {
    let mut above = 0;
    for x in row {
        if !x.is_finite() {
            return false;
        }
        above += i64::from(*x > own);
        if above > k {
            return false;
        }
    }
    above < k
}

#[cfg(test)]
mod tests {
    use super::InTopKv2;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let bools = |y: &[bool]| Tensor::bool(&[y.len() as i32], y);
        let row = [0.25, 0.5, 0.5, 0.125];
        for (k, want) in [
            (0, [false, false, false, false]),
            (1, [false, true, true, false]),
            // Equal predictions do not count as larger.
            (2, [false, true, true, false]),
            (3, [true, true, true, false]),
            (4, [true, true, true, true]),
            (-1, [false, false, false, false]),
        ] {
            let predictions = of(F32, &[4, 4], [row; 4].as_flattened());
            for ty in [I32, I64] {
                let targets = of(ty, &[4], &[0.0, 1.0, 2.0, 3.0]);
                let inputs = [predictions.clone(), targets, of(ty, &[], &[k.into()])];
                gives::<InTopKv2>(&[], &inputs, &[bools(&want)]);
            }
        }
        // A class that does not exist; a prediction that is not finite.
        let inf = f64::INFINITY;
        let predictions = of(F32, &[4, 2], &[1.0, 2.0, 1.0, 2.0, inf, 1.0, f64::NAN, 1.0]);
        let inputs = [predictions, list(&[-1, 2, 0, 1]), int(2)];
        gives::<InTopKv2>(&[], &inputs, &[bools(&[false; 4])]);
        gives::<InTopKv2>(&[], &[of(F32, &[0, 2], &[]), list(&[]), int(1)], &[bools(&[])]);
    }

    #[test]
    fn refusals() {
        let refused = |predictions: &[i32], targets: &[i32], k: Tensor, message: &str| {
            let predictions = of(F32, predictions, &vec![0.0; predictions.iter().product::<i32>() as usize]);
            refuses::<InTopKv2>(&[], &[predictions, list(targets), k], &[ElementType::Bool], message);
        };
        let message = "predictions are [2] and targets [1]; [batch, classes] and [batch] are needed";
        refused(&[2], &[0], int(1), message);
        let message = "predictions are [2, 2] and targets [1]; [batch, classes] and [batch] are needed";
        refused(&[2, 2], &[0], int(1), message);
        refused(&[1, 2], &[0], list(&[1]), "'in2' is [1]; it must have 0 axes");
    }
}
