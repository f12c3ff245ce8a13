//! CombinedNonMaxSuppression: the best boxes of all classes of each image, without those that overlap a better box of
//! their class. F32. Inputs: boxes `[batch, n, 1 or classes, 4]`, scores `[batch, n, classes]`, the maximum per class,
//! the maximum in all, the overlap and the score thresholds. Outputs: boxes, scores, classes, the number of valid ones;
//! the rest is filled with zeros.
//! Defined by: tensorflow/core/kernels/image/non_max_suppression_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::pace::Pace;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_rank, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::real;
use crate::kit::suppression::{Corners, limit, select};

/// The `FlexCombinedNonMaxSuppression` op.
pub type CombinedNonMaxSuppression = Node<Definition>;

/// Attributes, shape function and kernel of `FlexCombinedNonMaxSuppression`.
pub struct Definition {
    pad_per_class: bool,
    clip: bool,
}

impl Definition {
    /// The maximum number of boxes per class, and the number of boxes in an output.
    fn sizes(&self, x: &Inputs<'_, '_>) -> Result<Option<(usize, usize)>> {
        let (Some(per_class), Some(total)) = (x.integer(2)?, x.integer(3)?) else { return Ok(None) };
        ensure!(
            per_class > 0 && total > 0,
            "at most {per_class} boxes per class, {total} in total; both must be positive"
        );
        let classes = x.dims(1)?.size(2) as i64;
        let size = if self.pad_per_class { total.min(per_class.saturating_mul(classes)) } else { total };
        Ok(Some((per_class as usize, size as usize)))
    }
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexCombinedNonMaxSuppression";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(6..=6, 4..=4)?;
        Ok(Definition {
            pad_per_class: def.bool("pad_per_class", false)?,
            clip: def.bool("clip_boxes", true)?,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        let (boxes, scores) = (x.dims(0)?, x.dims(1)?);
        let sound = boxes.rank() == 4
            && scores.rank() == 3
            && boxes.size(3) == 4
            && boxes.as_slice()[..2] == scores.as_slice()[..2]
            && (boxes.size(2) == 1 || boxes.size(2) == scores.size(2));
        ensure!(
            sound,
            "boxes are {:?} and scores {:?}; [batch, n, 1 or classes, 4] and [batch, n, classes] are needed",
            boxes.as_slice(),
            scores.as_slice()
        );
        for i in 2..6 {
            expect_rank(&x.get(i)?, 0)?;
        }
        let (batch, Some((_, size))) = (boxes.size(0) as i64, self.sizes(x)?) else { return Ok(None) };
        match output {
            0 => shape_of([batch, size as i64, 4]).map(Some),
            3 => shape_of([batch]).map(Some),
            _ => shape_of([batch, size as i64]).map(Some),
        }
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, classes) = (call.dims(0)?, call.dims(1)?.size(2));
        let (batch, count, own) = (dims.size(0), dims.size(1), dims.size(2));
        let (per_class, size) = self.sizes(&call.inputs())?.unwrap_or_default();
        let (limit, lowest) = (limit(&call.input(4)?)?, real(&call.input(5)?)? as f32);
        let (boxes, scores) = (call.slice::<f32>(0)?.as_chunks::<4>().0, call.slice::<f32>(1)?);
        let mut found: Vec<Vec<(f32, usize, Corners)>> = Vec::new();
        let mut pace = Pace::new(call.cx);
        for image in 0..batch {
            let mut best = Vec::new();
            for class in 0..classes {
                pace.ahead(count.saturating_mul(per_class.min(count)))?;
                let at = |i: usize| boxes[(image * count + i) * own + if own == 1 { 0 } else { class }];
                let corners: Vec<Corners> = (0..count).map(at).collect();
                let scores: Vec<f32> =
                    (0..count).map(|i| scores[(image * count + i) * classes + class]).collect();
                let stay = select(&corners, &scores, per_class, limit, lowest);
                best.extend(stay.into_iter().map(|i| (scores[i], class, corners[i])));
            }
            best.sort_by(|a, b| b.0.total_cmp(&a.0));
            best.truncate(size);
            found.push(best);
        }
        self.write(call, &found, size)
    }
}

impl Definition {
    fn write(&self, call: &Call<'_, '_>, found: &[Vec<(f32, usize, Corners)>], size: usize) -> Result<()> {
        let (boxes, scores) = (call.output_slice::<f32>(0)?, call.output_slice::<f32>(1)?);
        let (classes, valid) = (call.output_slice::<f32>(2)?, call.output_slice::<i32>(3)?);
        boxes.fill(0.0);
        scores.fill(0.0);
        classes.fill(0.0);
        for (image, best) in found.iter().enumerate() {
            valid[image] = best.len() as i32;
            for (i, (score, class, corners)) in best.iter().enumerate() {
                let at = image * size + i;
                (scores[at], classes[at]) = (*score, *class as f32);
                boxes[4 * at..4 * at + 4].copy_from_slice(&if self.clip {
                    corners.map(|c| c.clamp(0.0, 1.0))
                } else {
                    *corners
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::CombinedNonMaxSuppression;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let none = [0.0; 4];
        let corners = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.125, 1.0, 1.125], [0.0, 2.0, 1.0, 3.0]];
        let boxes = of(F32, &[1, 3, 1, 4], corners.as_flattened());
        let scores = of(F32, &[1, 3, 2], &[0.5, 0.0, 0.75, 0.25, 0.125, 0.625]);
        let best =
            |attributes: &[_], most: [i32; 2], boxes: Tensor, want: &[(f64, f64, [f64; 4])], valid: i32| {
                let inputs = [boxes, scores.clone(), int(most[0]), int(most[1]), real(0.5), real(0.125)];
                let count = want.len() as i32;
                let corners: Vec<f64> = want.iter().flat_map(|(_, _, c)| *c).collect();
                let outputs = [
                    of(F32, &[1, count, 4], &corners),
                    of(F32, &[1, count], &want.iter().map(|w| w.0).collect::<Vec<_>>()),
                    of(F32, &[1, count], &want.iter().map(|w| w.1).collect::<Vec<_>>()),
                    list(&[valid]),
                ];
                gives::<CombinedNonMaxSuppression>(attributes, &inputs, &outputs);
            };
        // Class 0 keeps box 1, which overlaps box 0; class 1 keeps boxes 2 and 1.
        let all = ("clip_boxes", Flag(false));
        let want =
            [(0.75, 0.0, corners[1]), (0.625, 1.0, corners[2]), (0.25, 1.0, corners[1]), (0.0, 0.0, none)];
        best(&[all], [2, 4], boxes.clone(), &want, 3);
        // The best two boxes; one per class; as many boxes as all classes together may have.
        best(&[all], [2, 2], boxes.clone(), &want[..2], 2);
        best(&[all], [1, 3], boxes.clone(), &[want[0], want[1], want[3]], 2);
        best(&[all, ("pad_per_class", Flag(true))], [1, 3], boxes.clone(), &want[..2], 2);
        // Corners are clipped to 0..=1.
        let clipped = [(0.75, 0.0, [0.0, 0.125, 1.0, 1.0]), (0.625, 1.0, [0.0, 1.0, 1.0, 1.0])];
        best(&[], [1, 2], boxes, &clipped, 2);
        // Each class has its own boxes.
        let mut own = Vec::new();
        for i in 0..3 {
            own.extend([corners[i], corners[2 - i]]);
        }
        let own = of(F32, &[1, 3, 2, 4], own.as_flattened());
        best(&[all], [1, 2], own, &[(0.75, 0.0, corners[1]), (0.625, 1.0, corners[0])], 2);
    }

    #[test]
    fn refusals() {
        let refused = |boxes: &[i32], scores: &[i32], most: [Tensor; 2], limit: f32, message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            let [per_class, total] = most;
            let inputs = [zeros(boxes), zeros(scores), per_class, total, real(limit), real(0.0)];
            refuses::<CombinedNonMaxSuppression>(&[], &inputs, &[F32, F32, F32, I32], message);
        };
        let one = || [int(1), int(1)];
        for (boxes, scores) in
            [(&[1, 2, 4][..], &[1, 2, 1][..]), (&[1, 2, 1, 3], &[1, 2, 1]), (&[1, 2, 2, 4], &[1, 2, 3])]
        {
            let message = format!(
                "boxes are {boxes:?} and scores {scores:?}; \
                 [batch, n, 1 or classes, 4] and [batch, n, classes] are needed"
            );
            refused(boxes, scores, one(), 0.5, &message);
        }
        let (boxes, scores) = ([1, 2, 1, 4], [1, 2, 1]);
        let message = "at most 0 boxes per class, 1 in total; both must be positive";
        refused(&boxes, &scores, [int(0), int(1)], 0.5, message);
        refused(&boxes, &scores, [list(&[1]), int(1)], 0.5, "'in2' is [1]; it must have 0 axes");
        refused(&boxes, &scores, one(), -0.5, "the overlap is -0.5; it must be in 0..=1");
    }
}
