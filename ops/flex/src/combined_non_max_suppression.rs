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
