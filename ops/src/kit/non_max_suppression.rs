//! NON_MAX_SUPPRESSION_V4 and _V5: the best of a set of scored boxes that do not overlap a better one. f32.
//!
//! Defined by: tflite/kernels/non_max_suppression.cc, tflite/kernels/internal/reference/non_max_suppression.h.
//!
//! ```text
//! boxes [n, 4]: y1, x1, y2, x2, corners in any order     scores [n]
//! iou(a, b) = area of a ∩ b / area of a ∪ b, 0 for an empty box
//! hard: a box is dropped if its iou with a box chosen before reaches the threshold
//! soft: in addition, with sigma > 0, each box chosen before multiplies the score by e^(−iou² / 2 sigma)
//! ```
//! With five inputs the suppression is hard, with two outputs (indices, count); with six inputs it is soft, with three
//! outputs (indices, scores, count). Both ops support both. Unused elements of the outputs are 0.

use arenite_abi::prelude::*;

use super::arguments::{Integers, expect_type};
use super::float;
use super::pace::Pace;

plain! {
    /// A prepared node of the op with this number in the schema: a queue of boxes, and for each box its score and the
    /// number of chosen boxes that have already lowered it.
    pub struct NonMaxSuppression<const CODE: i32> {
        queue: Scratch<u32>,
        scores: Scratch<f32>,
        seen: Scratch<u32>,
        is_static: bool,
    }
}

const SIGMA: usize = 5;

impl<const CODE: i32> Op for NonMaxSuppression<CODE> {
    const CODE: OpCode = OpCode::Builtin(CODE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);
    const OUTPUT_TYPE: OutputType = match CODE {
        op::NON_MAX_SUPPRESSION_V4 => OutputType::Fixed(I32),
        // The scores are F32, the others I32.
        _ => OutputType::File,
    };

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let outputs = if node.input_count() == SIGMA + 1 { 3 } else { 2 };
        node.expect(5..=6, outputs..=outputs)?;
        let (boxes, scores, limit) = (node.input(0)?, node.input(1)?, node.input(2)?);
        let count = check(&boxes, &scores)?;
        expect_type(&limit, &[I32])?;
        for i in 2..node.input_count() {
            let argument = node.input(i)?;
            expect_type(&argument, if i == 2 { &[I32] } else { &[F32] })?;
            ensure!(argument.rank() == 0, "{argument} is {:?}; it must be one number", argument.shape);
        }
        for i in 0..outputs {
            let ty = if outputs == 3 && i == 1 { F32 } else { I32 };
            expect_type(&node.output(i)?, &[ty])?;
        }
        for i in 0..outputs - 1 {
            match limit.is_constant() {
                true => cx.set_output_shape(i, &[size(&limit)?])?,
                false => cx.set_output_dynamic(i)?,
            }
        }
        cx.set_output_shape(outputs - 1, &[])?;
        Ok(NonMaxSuppression {
            queue: cx.scratch(count)?,
            scores: cx.scratch(count)?,
            seen: cx.scratch(count)?,
            is_static: limit.is_constant(),
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let limit = size(&cx.input(2)?)?;
        let output = |i| if self.is_static { cx.output(i) } else { cx.resize_output(i, &[limit]) };
        let sigma = if cx.input_count() > SIGMA { number(cx, SIGMA)? } else { 0.0 };
        ensure!(sigma >= 0.0 || sigma.is_nan(), "sigma is {sigma}; it must not be negative");
        let indices = output(0)?.into_slice::<i32>()?;
        let chosen_scores = match cx.output_count() {
            3 => output(1)?.into_slice::<f32>()?,
            _ => &mut [],
        };
        indices.fill(0);
        chosen_scores.fill(0.0);
        let choice = Choice {
            boxes: cx.input_slice::<f32>(0)?.as_chunks().0,
            overlap: number(cx, 3)?,
            threshold: number(cx, 4)?,
            sigma,
            // Computed in f64, as in TFLite.
            scale: (-0.5 / f64::from(sigma)) as f32,
        };
        let scores = cx.scratch(&self.scores)?;
        scores.copy_from_slice(cx.input_slice(1)?);
        let seen = cx.scratch(&self.seen)?;
        let count = choice.choose(cx, cx.scratch(&self.queue)?, scores, seen, indices, chosen_scores)?;
        cx.output_slice::<i32>(cx.output_count() - 1)?.fill(count as i32);
        Ok(())
    }
}

/// Checks the inputs and returns the number of boxes.
fn check(boxes: &TensorView<'_>, scores: &TensorView<'_>) -> Result<usize> {
    [boxes, scores].into_iter().try_for_each(|x| expect_type(x, &[F32]))?;
    let [count, 4] = *boxes.shape else {
        return Err(invalid!("boxes {boxes} are {:?}; they must be [n, 4]", boxes.shape));
    };
    ensure!(
        *scores.shape == [count],
        "scores {scores} are {:?}, boxes {boxes} {:?}; a score per box is needed",
        scores.shape,
        boxes.shape
    );
    Ok(count.max(0) as usize)
}

/// The maximum number of boxes to choose.
fn size(limit: &TensorView<'_>) -> Result<i32> {
    let size = Integers::scalar(limit)?;
    ensure!(size >= 0, "{limit} is {size}; the number of boxes must not be negative");
    Ok(size as i32)
}

fn number(cx: &EvalContext<'_>, input: usize) -> Result<f32> {
    let x = cx.input(input)?;
    x.as_slice()?.first().copied().ok_or_else(|| invalid!("{x} is empty"))
}

struct Choice<'a> {
    boxes: &'a [[f32; 4]],
    overlap: f32,
    threshold: f32,
    sigma: f32,
    scale: f32,
}

impl Choice<'_> {
    /// Writes the chosen boxes and their scores, and returns their number.
    fn choose(
        &self,
        cx: &EvalContext<'_>,
        queue: &mut [u32],
        scores: &mut [f32],
        seen: &mut [u32],
        chosen: &mut [i32],
        chosen_scores: &mut [f32],
    ) -> Result<usize> {
        let mut pace = Pace::new(cx);
        let (mut queued, mut count) = (0, 0);
        for i in 0..self.boxes.len() {
            seen[i] = 0;
            if scores[i] > self.threshold {
                queue[queued] = i as u32;
                queued += 1;
                rise(&mut queue[..queued], scores);
            }
        }
        let limit = queued.min(chosen.len());
        while queued > 0 && count < limit {
            take(&mut queue[..queued], scores);
            queued -= 1;
            let best = queue[queued] as usize;
            pace.ahead((count - seen[best] as usize + 1) * 16)?;
            let score = scores[best];
            let Some(lowered) = self.lowered(best, score, &chosen[seen[best] as usize..count]) else {
                continue;
            };
            seen[best] = count as u32;
            scores[best] = lowered;
            if lowered == score {
                chosen[count] = best as i32;
                if let Some(to) = chosen_scores.get_mut(count) {
                    *to = score;
                }
                count += 1;
            }
            // A chosen box is queued too; it drops out on meeting itself, unless it is empty or the threshold above 1.
            if lowered > self.threshold {
                queued += 1;
                rise(&mut queue[..queued], scores);
            }
        }
        Ok(count)
    }

    /// The score of a box after these boxes were chosen, or `None` if it overlaps one of them too much.
    fn lowered(&self, index: usize, mut score: f32, chosen: &[i32]) -> Option<f32> {
        for &other in chosen.iter().rev() {
            let iou = iou(self.boxes[index], self.boxes[other as usize]);
            if iou >= self.overlap {
                return None;
            }
            if self.sigma > 0.0 {
                score *= float::exp(self.scale * iou * iou);
            }
            if score <= self.threshold {
                break;
            }
        }
        Some(score)
    }
}

/// Compares so that NaN is neither smaller nor larger than any other coordinate.
fn min(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

fn max(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

fn iou(a: [f32; 4], b: [f32; 4]) -> f32 {
    // The sides as `[y from, x from, y to, x to]`.
    let sides = |[y1, x1, y2, x2]: [f32; 4]| [min(y1, y2), min(x1, x2), max(y1, y2), max(x1, x2)];
    let (a, b) = (sides(a), sides(b));
    let area = |s: [f32; 4]| (s[2] - s[0]) * (s[3] - s[1]);
    if area(a) <= 0.0 || area(b) <= 0.0 {
        return 0.0;
    }
    let [height, width] = [0, 1].map(|i| max(min(a[i + 2], b[i + 2]) - max(a[i], b[i]), 0.0));
    let both = height * width;
    both / (area(a) + area(b) - both)
}

/// Lets the last entry of a heap rise to its place, so that the best one is first.
///
/// Equal scores leave the heap in the same order as in GNU libstdc++.
fn rise(heap: &mut [u32], scores: &[f32]) {
    let mut hole = heap.len() - 1;
    let entry = heap[hole];
    while hole > 0 {
        let parent = (hole - 1) / 2;
        if scores[heap[parent] as usize] >= scores[entry as usize] {
            break;
        }
        heap[hole] = heap[parent];
        hole = parent;
    }
    heap[hole] = entry;
}

/// Moves the best entry of a heap to its end; the rest remains a heap.
fn take(heap: &mut [u32], scores: &[f32]) {
    let last = heap.len() - 1;
    heap.swap(0, last);
    if last < 2 {
        return;
    }
    // The hole sinks all the way down, to the right child if both are equal; then the entry rises from there.
    let (entry, mut hole) = (heap[0], 0);
    loop {
        let (left, right) = (2 * hole + 1, 2 * hole + 2);
        let down = if right < last && scores[heap[right] as usize] >= scores[heap[left] as usize] {
            right
        } else if left < last {
            left
        } else {
            break;
        };
        heap[hole] = heap[down];
        hole = down;
    }
    while hole > 0 && scores[heap[(hole - 1) / 2] as usize] < scores[entry as usize] {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = entry;
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    type Both = NonMaxSuppression<121>;

    /// Unit squares at these heights.
    fn squares(at: &[f32]) -> Tensor {
        let corners: Vec<f32> = at.iter().flat_map(|&y| [y, 0.0, y + 1.0, 1.0]).collect();
        Tensor::f32(&[at.len() as i32, 4], &corners)
    }

    fn node(boxes: Tensor, scores: &[f32], limit: Tensor, sigma: Option<f32>, fed: bool) -> OpTest<Both> {
        let test = OpTest::new().input(boxes).input(Tensor::f32(&[scores.len() as i32], scores));
        let test = if fed { test.input(limit) } else { test.constant(limit) };
        let test = test.constant(Tensor::f32(&[], &[0.5])).constant(Tensor::f32(&[], &[0.1]));
        match sigma {
            None => test.output(Spec::i32()).output(Spec::i32()),
            Some(sigma) => {
                let test = test.constant(Tensor::f32(&[], &[sigma]));
                test.output(Spec::i32()).output(Spec::f32()).output(Spec::i32())
            }
        }
    }

    fn limit(limit: i32) -> Tensor {
        Tensor::i32(&[], &[limit])
    }

    #[test]
    fn hard() {
        // 1 overlaps 0 by 0.75 / 1.25; 3 is below the threshold; 4 is better than all others.
        let (boxes, scores) = (squares(&[0.0, 0.25, 5.0, 9.0, -5.0]), [0.9, 0.8, 0.7, 0.1, 0.95]);
        for fed in [false, true] {
            let y = node(boxes.clone(), &scores, limit(4), None, fed).run().unwrap();
            assert_eq!((y[0].as_i32(), y[1].as_i32()), (vec![4, 0, 2, 0], vec![3]));
            let y = node(boxes.clone(), &scores, limit(1), None, fed).run().unwrap();
            assert_eq!((y[0].as_i32(), y[1].as_i32(), y[1].shape()), (vec![4], vec![1], &[][..]));
        }
        let y = node(boxes, &scores, limit(0), None, true).run().unwrap();
        assert_eq!((y[0].shape(), y[1].as_i32()), (&[0][..], vec![0]));
    }

    #[test]
    fn soft() {
        // The iou of 0 and 1 is 0.6 / 1.4, which moves 1 behind 2.
        let (boxes, scores) = (squares(&[0.0, 0.4, 5.0]), [0.9, 0.8, 0.79]);
        let y = node(boxes, &scores, limit(4), Some(0.5), true).run().unwrap();
        assert_eq!((y[0].as_i32(), y[2].as_i32()), (vec![0, 2, 1, 0], vec![3]));
        let lowered = 0.8 * (-(0.6f32 / 1.4).powi(2)).exp();
        let got = y[1].as_f32();
        assert_eq!((got[0], got[1], got[3]), (0.9, 0.79, 0.0));
        assert!((got[2] - lowered).abs() < 1e-6, "{} {lowered}", got[2]);
    }

    #[test]
    fn equal_scores_come_in_the_order_of_the_reference() {
        for want in [
            &[0, 2, 4, 1, 3][..],
            &[0, 2, 6, 7, 5, 4, 3, 1],
            &[0, 2, 6, 14, 16, 13, 15, 12, 11, 10, 9, 8, 7, 5, 4, 3, 1],
        ] {
            let at: Vec<f32> = (0..want.len()).map(|i| 2.0 * i as f32).collect();
            let scores = vec![0.5; want.len()];
            let y = node(squares(&at), &scores, limit(want.len() as i32), None, true).run().unwrap();
            assert_eq!(y[0].as_i32(), want);
        }
    }

    #[test]
    fn nan_never_chooses_a_box_twice() {
        let nan = f32::NAN;
        let y = node(squares(&[nan, nan, 0.0]), &[0.5, 0.4, nan], limit(3), Some(1.0), true).run().unwrap();
        assert_eq!((y[0].as_i32(), y[2].as_i32()), (vec![0, 0, 0], vec![1]));
    }

    #[test]
    fn refusals() {
        let message = |test: OpTest<Both>| test.run().unwrap_err().message().to_owned();
        let two = || squares(&[0.0, 1.0]);
        assert_eq!(
            message(node(two(), &[0.5], limit(1), None, true)),
            "scores 'in1' are [1], boxes 'in0' [2, 4]; a score per box is needed"
        );
        let corners = Tensor::f32(&[1, 3], &[0.0; 3]);
        assert_eq!(
            message(node(corners, &[0.5], limit(1), None, true)),
            "boxes 'in0' are [1, 3]; they must be [n, 4]"
        );
        let negative = "'in2' is -1; the number of boxes must not be negative";
        assert_eq!(message(node(two(), &[0.5; 2], limit(-1), None, true)), negative);
        assert_eq!(message(node(two(), &[0.5; 2], limit(-1), None, false)), negative);
        let sigma = node(two(), &[0.5; 2], limit(1), Some(-1.0), true);
        assert_eq!(message(sigma), "sigma is -1; it must not be negative");
    }
}
