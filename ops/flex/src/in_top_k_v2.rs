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
