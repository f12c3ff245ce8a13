//! NonMaxSuppressionV3: drops boxes that overlap a better one too much. F16, F32 to I32. Inputs: boxes, scores, maximum
//! count, overlap threshold, score threshold.
//! Defined by: tensorflow/core/kernels/image/non_max_suppression_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_rank, expect_type, integer};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{real, reals};
use crate::kit::suppression::{limit, select};

/// The `FlexNonMaxSuppressionV3` op.
pub type NonMaxSuppressionV3 = Node<Definition>;

/// Shape function and kernel of `FlexNonMaxSuppressionV3`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexNonMaxSuppressionV3";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(5..=5, 1..=1)?;
        expect_type(&node.input(0)?, &[F16, F32])?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (boxes, scores) = (x.dims(0)?, x.dims(1)?);
        ensure!(
            boxes.rank() == 2 && boxes.size(1) == 4 && scores.as_slice() == &boxes.as_slice()[..1],
            "boxes are {:?} and scores {:?}; [n, 4] and [n] are needed",
            boxes.as_slice(),
            scores.as_slice()
        );
        for i in 2..5 {
            expect_rank(&x.get(i)?, 0)?;
        }
        Ok(None)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let narrow = |x: Vec<f64>| x.into_iter().map(|x| x as f32).collect::<Vec<f32>>();
        let (boxes, scores) = (narrow(reals(&call.input(0)?)?), narrow(reals(&call.input(1)?)?));
        let most = integer(&call.input(2)?)?;
        ensure!(most >= 0, "at most {most} boxes; the number must not be negative");
        let (limit, lowest) = (limit(&call.input(3)?)?, real(&call.input(4)?)? as f32);
        let stay = select(boxes.as_chunks::<4>().0, &scores, most as usize, limit, lowest);
        let y = call.resized::<i32>(0, &[stay.len() as i32])?;
        y.iter_mut().zip(stay).for_each(|(y, i)| *y = i as i32);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::NonMaxSuppressionV3;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        // 1 overlaps 0 by 9/11. 2 overlaps 0 by 1/3 and 1 by 3/7, and its corners are swapped.
        let boxes = [
            [0.0, 0.0, 10.0, 10.0],
            [0.0, 1.0, 10.0, 11.0],
            [10.0, 15.0, 0.0, 5.0],
            [50.0, 50.0, 60.0, 60.0],
        ];
        let select = |scores: [f64; 4], most: i32, limit: f32, lowest: f32, want: &[i32]| {
            for ty in [F16, F32] {
                let (boxes, scores) = (of(ty, &[4, 4], boxes.as_flattened()), of(ty, &[4], &scores));
                let inputs =
                    [boxes, scores, int(most), of(ty, &[], &[limit.into()]), of(ty, &[], &[lowest.into()])];
                gives::<NonMaxSuppressionV3>(&[], &inputs, &[list(want)]);
            }
        };
        let scores = [0.5, 0.75, 0.25, 0.125];
        select(scores, 4, 0.5, 0.0, &[1, 2, 3]);
        select(scores, 4, 0.25, 0.0, &[1, 3]);
        select(scores, 4, 0.875, 0.0, &[1, 0, 2, 3]);
        select(scores, 4, 1.0, f32::NEG_INFINITY, &[1, 0, 2, 3]);
        select(scores, 2, 0.5, 0.0, &[1, 2]);
        select(scores, 0, 0.5, 0.0, &[]);
        // Only scores above the threshold count; of equal scores the first box wins.
        select(scores, 4, 0.5, 0.25, &[1]);
        select([1.0; 4], 4, 0.5, 0.0, &[0, 2, 3]);
        let none = [of(F32, &[0, 4], &[]), of(F32, &[0], &[]), int(4), real(0.5), real(0.0)];
        gives::<NonMaxSuppressionV3>(&[], &none, &[list(&[])]);
    }

    #[test]
    fn refusals() {
        let refused = |boxes: &[i32], most: Tensor, limit: f32, message: &str| {
            let boxes = of(F32, boxes, &vec![0.0; boxes.iter().product::<i32>() as usize]);
            let inputs = [boxes, of(F32, &[1], &[1.0]), most, real(limit), real(0.0)];
            refuses::<NonMaxSuppressionV3>(&[], &inputs, &[I32], message);
        };
        refused(&[2, 4], int(1), 0.5, "boxes are [2, 4] and scores [1]; [n, 4] and [n] are needed");
        refused(&[1, 3], int(1), 0.5, "boxes are [1, 3] and scores [1]; [n, 4] and [n] are needed");
        refused(&[1, 4], list(&[1]), 0.5, "'in2' is [1]; it must have 0 axes");
        refused(&[1, 4], int(-1), 0.5, "at most -1 boxes; the number must not be negative");
        refused(&[1, 4], int(1), 1.5, "the overlap is 1.5; it must be in 0..=1");
        refused(&[1, 4], int(1), f32::NAN, "the overlap is NaN; it must be in 0..=1");
    }
}
