//! TFLite_Detection_PostProcess: decodes the boxes of an SSD network and drops those that overlap a better box.
//! Encodings, scores and anchors are f32 or u8; the outputs are f32, and zero where there are fewer boxes.
//! Defined by: tflite/kernels/detection_postprocess.cc.
//!
//! ```text
//! center = encoding / scale × anchor size + anchor center     half = ½ exp(encoding / scale) × anchor size
//! regular: each class separately, best first; drops a box that overlaps a kept one too much; keeps the best of all
//! fast:    the same once, by each box's best class; every kept box is returned with its best classes
//! ```

mod buffers;
mod options;

use core::cmp::Ordering;

use arenite_abi::prelude::*;

use crate::kit::node;
use crate::kit::pace::Pace;
use crate::kit::partial_sort::partial_sort;
use crate::kit::requantize::Quant;

use buffers::Buffers;
use options::DetectionOptions;

const BOXES: usize = 0;
const SCORES: usize = 1;
const ANCHORS: usize = 2;

plain! {
    /// A prepared `TFLite_Detection_PostProcess` node.
    pub struct DetectionPostProcess {
        options: DetectionOptions,
        boxes: usize,
        /// The number of values per encoding; the first four are the box.
        encoding: usize,
        /// The number of scores per box: one per class, and possibly one for the background, which comes first.
        columns: usize,
        /// The quantization of encodings and anchors.
        quants: Maybe<[Quant; 2]>,
        scores_quant: Maybe<Quant>,
        scratch: Buffers,
    }
}

impl Op for DetectionPostProcess {
    const CODE: OpCode = OpCode::Custom("TFLite_Detection_PostProcess");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, U8]);
    const OUTPUT_TYPE: OutputType = OutputType::Fixed(F32);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 4..=4)?;
        let options = DetectionOptions::read(node)?;
        options.check()?;
        let [boxes, encoding, columns] = shapes(node, &options)?;
        let (x, scores, anchors) = (node.input(BOXES)?, node.input(SCORES)?, node.input(ANCHORS)?);
        for i in 0..4 {
            let y = node.output(i)?;
            ensure!(y.ty == F32, "output {y} is {}; it must be FLOAT32", y.ty);
        }
        node::same_type(&x, &anchors)?;
        let quants = if x.ty == U8 { Some([node::quant(&x)?, node::quant(&anchors)?]) } else { None };
        let scores_quant = if scores.ty == U8 { Some(node::quant(&scores)?) } else { None };

        let rows = options
            .max_detections
            .checked_mul(options.max_classes_per_detection)
            .and_then(|rows| i32::try_from(rows).ok())
            .ok_or_else(|| {
                let (n, classes) = (options.max_detections, options.max_classes_per_detection);
                invalid!("{n} detections of {classes} classes each are too many")
            })?;
        cx.set_output_shape(0, &[1, rows, 4])?;
        cx.set_output_shape(1, &[1, rows])?;
        cx.set_output_shape(2, &[1, rows])?;
        cx.set_output_shape(3, &[1])?;
        let scratch = Buffers::prepare(&options, [boxes, columns], scores.ty, cx)?;
        let (quants, scores_quant) = (quants.into(), scores_quant.into());
        Ok(DetectionPostProcess { options, boxes, encoding, columns, quants, scores_quant, scratch })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let corners = cx.scratch(&self.scratch.corners)?;
        self.decode(cx, corners)?;
        let (corners, _) = corners.as_chunks::<4>();
        if let Some(i) = corners.iter().position(|b| b[0] > b[2] || b[1] > b[3]) {
            let [top, left, bottom, right] = corners[i];
            return Err(invalid!("box {i} ends before it begins: from {top}, {left} to {bottom}, {right}"));
        }
        let scores = match (self.scratch.scores.as_ref(), self.scores_quant.get()) {
            (Some(scratch), Some(quant)) => {
                let scores = cx.scratch(scratch)?;
                let quantized = cx.input_slice::<u8>(SCORES)?;
                for (i, (y, &q)) in scores.iter_mut().zip(quantized).enumerate() {
                    *y = quant.dequantize_in_eights(q.into(), i, quantized.len());
                }
                &*scores
            }
            _ => cx.input_slice::<f32>(SCORES)?,
        };
        let mut detections = Detections::new(cx)?;
        match self.options.regular {
            true => self.regular(cx, corners, scores, &mut detections)?,
            false => self.fast(cx, corners, scores, &mut detections)?,
        }
        Ok(())
    }
}

/// The number of boxes, of values per encoding, and of scores per box.
fn shapes(node: &NodeView<'_>, options: &DetectionOptions) -> Result<[usize; 3]> {
    let (x, scores, anchors) = (node.input(BOXES)?, node.input(SCORES)?, node.input(ANCHORS)?);
    let (boxes, encoding) = match *x.shape {
        [1, boxes, encoding] if encoding >= 4 => (boxes, encoding),
        _ => {
            return Err(invalid!("boxes {x} are {:?}; they must be [1, boxes, 4 or more]", x.shape));
        }
    };
    let (least, most) = (options.classes as i64, options.classes as i64 + 1);
    let &[1, rows, columns] = scores.shape else {
        return Err(invalid!("scores {scores} are {:?}; they must be [1, boxes, classes]", scores.shape));
    };
    ensure!(rows == boxes, "there are {boxes} boxes {x}, but scores {scores} for {rows}");
    ensure!(
        (least..=most).contains(&columns.into()),
        "scores {scores} cover {columns} classes, option 'num_classes' is {least}; there may be one more for the background"
    );
    ensure!(
        anchors.rank() == 2 && anchors.len() / 4 >= boxes as usize,
        "anchors {anchors} are {:?}; {boxes} boxes need [{boxes}, 4]",
        anchors.shape
    );
    ensure!(i32::try_from(scores.len()).is_ok(), "{boxes} scores of {columns} classes are too many");
    Ok([boxes as usize, encoding as usize, columns as usize])
}

impl DetectionPostProcess {
    /// Decodes the corners of all boxes: top, left, bottom, right.
    fn decode(&self, cx: &EvalContext<'_>, corners: &mut [f32]) -> Result<()> {
        let (x, anchors) = (cx.input(BOXES)?, cx.input(ANCHORS)?);
        let (corners, _) = corners.as_chunks_mut::<4>();
        match self.quants.get() {
            None => {
                let (x, (anchors, _)) = (x.as_slice::<f32>()?, anchors.as_slice::<f32>()?.as_chunks::<4>());
                for (i, corners) in corners.iter_mut().enumerate() {
                    let code = core::array::from_fn(|k| x[i * self.encoding + k]);
                    *corners = decoded(code, self.options.scales, anchors[i]);
                }
            }
            Some([of_boxes, of_anchors]) => {
                let (x, (anchors, _)) = (x.as_slice::<u8>()?, anchors.as_slice::<u8>()?.as_chunks::<4>());
                for (i, corners) in corners.iter_mut().enumerate() {
                    let code = core::array::from_fn(|k| of_boxes.dequantize(x[i * self.encoding + k].into()));
                    let anchor = anchors[i].map(|q| of_anchors.dequantize(q.into()));
                    *corners = decoded(code, self.options.scales, anchor);
                }
            }
        }
        Ok(())
    }

    fn regular(
        &self,
        cx: &EvalContext<'_>,
        corners: &[[f32; 4]],
        scores: &[f32],
        detections: &mut Detections<'_>,
    ) -> Result<()> {
        let (ranked, candidates) = (cx.scratch(&self.scratch.ranked)?, cx.scratch(&self.scratch.candidates)?);
        let selected = cx.scratch(&self.scratch.selected)?;
        let mut best =
            Best { indices: cx.scratch(&self.scratch.indices)?, scores: cx.scratch(&self.scratch.best)? };
        let background = self.columns - self.options.classes;
        let (mut pace, mut count) = (Pace::new(cx), 0);
        for class in background..self.columns {
            pace.ahead(self.boxes)?;
            for (row, score) in ranked.iter_mut().enumerate() {
                *score = scores[row * self.columns + class];
            }
            let limit = self.options.detections_per_class;
            let found = self.suppress(&mut pace, corners, ranked, limit, candidates, selected)?;
            let position = |row: i32| row * self.columns as i32 + class as i32;
            best.merge(count, &selected[..found], |row| (position(row), ranked[row as usize]));
            count = (count + found).min(self.options.max_detections);
        }
        for i in 0..count {
            let (row, column) =
                (best.indices[i] as usize / self.columns, best.indices[i] as usize % self.columns);
            detections.put(i, corners[row], column - background, best.scores[i]);
        }
        detections.count[0] = count as f32;
        Ok(())
    }

    fn fast(
        &self,
        cx: &EvalContext<'_>,
        corners: &[[f32; 4]],
        scores: &[f32],
        detections: &mut Detections<'_>,
    ) -> Result<()> {
        let (ranked, candidates) = (cx.scratch(&self.scratch.ranked)?, cx.scratch(&self.scratch.candidates)?);
        let (selected, classes) = (cx.scratch(&self.scratch.selected)?, cx.scratch(&self.scratch.indices)?);
        let per_box = self.options.max_classes_per_detection;
        let wanted = per_box.min(self.options.classes);
        let background = self.columns - self.options.classes;
        let of_box = |row: usize| &scores[row * self.columns + background..][..self.options.classes];
        let mut pace = Pace::new(cx);
        for (row, best) in ranked.iter_mut().enumerate() {
            pace.ahead(self.columns)?;
            best_classes(of_box(row), wanted, classes);
            *best = of_box(row)[classes[0] as usize];
        }
        let limit = self.options.max_detections;
        let found = self.suppress(&mut pace, corners, ranked, limit, candidates, selected)?;
        for (i, &row) in selected[..found].iter().enumerate() {
            let scores = of_box(row as usize);
            best_classes(scores, wanted, classes);
            for (k, &class) in classes[..wanted].iter().enumerate() {
                detections.put(
                    i * per_box + k,
                    corners[row as usize],
                    class as usize,
                    scores[class as usize],
                );
            }
        }
        detections.count[0] = found as f32;
        Ok(())
    }

    /// Writes the rows of at most `limit` boxes to `selected`, best score first, so that none overlaps a better one too
    /// much. Returns their number.
    fn suppress(
        &self,
        pace: &mut Pace<'_, '_>,
        corners: &[[f32; 4]],
        scores: &[f32],
        limit: usize,
        candidates: &mut [i32],
        selected: &mut [i32],
    ) -> Result<usize> {
        let mut count = 0;
        for (row, &score) in scores.iter().enumerate() {
            if score >= self.options.score_threshold {
                candidates[count] = row as i32;
                count += 1;
            }
        }
        let candidates = &mut candidates[..count];
        // Equal scores keep the order of the rows.
        candidates.sort_unstable_by(|&a, &b| {
            let by_score = scores[b as usize].partial_cmp(&scores[a as usize]);
            by_score.unwrap_or(Ordering::Equal).then(a.cmp(&b))
        });
        let mut found = 0;
        for i in 0..count {
            if found == limit {
                break;
            }
            pace.ahead(found * 8)?;
            let candidate = corners[candidates[i] as usize];
            let hidden =
                |&kept: &i32| overlap(corners[kept as usize], candidate) > self.options.overlap_threshold;
            if !selected[..found].iter().any(hidden) {
                selected[found] = candidates[i];
                found += 1;
            }
        }
        Ok(found)
    }
}

fn decoded(code: [f32; 4], scales: [f32; 4], anchor: [f32; 4]) -> [f32; 4] {
    let [y, x, height, width] = core::array::from_fn(|i| f64::from(code[i]) / f64::from(scales[i]));
    let anchor = anchor.map(f64::from);
    let centre_y = (y * anchor[2] + anchor[0]) as f32;
    let centre_x = (x * anchor[3] + anchor[1]) as f32;
    let half_height = (0.5 * libm::exp(height) * anchor[2]) as f32;
    let half_width = (0.5 * libm::exp(width) * anchor[3]) as f32;
    [centre_y - half_height, centre_x - half_width, centre_y + half_height, centre_x + half_width]
}

/// Intersection over union; 0 if a box has no area.
fn overlap(a: [f32; 4], b: [f32; 4]) -> f32 {
    let area = |b: [f32; 4]| (b[2] - b[0]) * (b[3] - b[1]);
    let (area_a, area_b) = (area(a), area(b));
    if area_a <= 0.0 || area_b <= 0.0 {
        return 0.0;
    }
    // Like `std::max` and `std::min`: the first argument wins unless the second is strictly beyond it.
    let max = |a: f32, b: f32| if a < b { b } else { a };
    let min = |a: f32, b: f32| if b < a { b } else { a };
    let height = max(min(a[2], b[2]) - max(a[0], b[0]), 0.0);
    let width = max(min(a[3], b[3]) - max(a[1], b[1]), 0.0);
    let both = height * width;
    both / (area_a + area_b - both)
}

/// The best boxes of the classes so far, in descending order of score.
struct Best<'a> {
    indices: &'a mut [i32],
    scores: &'a mut [f32],
}

impl Best<'_> {
    /// Merges the descending `rows` into the first `count`, from the end. Of equal scores the earlier class wins.
    fn merge(&mut self, count: usize, rows: &[i32], of: impl Fn(i32) -> (i32, f32)) {
        let (mut old, mut new) = (count, rows.len());
        while new > 0 {
            let (index, score) = of(rows[new - 1]);
            let to = old + new - 1;
            if old > 0 && score > self.scores[old - 1] {
                old -= 1;
                (self.indices[to], self.scores[to]) = (self.indices[old], self.scores[old]);
            } else {
                new -= 1;
                (self.indices[to], self.scores[to]) = (index, score);
            }
        }
    }
}

/// The outputs, which are zero until a detection is written.
struct Detections<'a> {
    boxes: &'a mut [f32],
    classes: &'a mut [f32],
    scores: &'a mut [f32],
    count: &'a mut [f32],
}

impl<'a> Detections<'a> {
    fn new(cx: &EvalContext<'a>) -> Result<Self> {
        let zeroed = |i| -> Result<&'a mut [f32]> {
            let y = cx.output_slice::<f32>(i)?;
            y.fill(0.0);
            Ok(y)
        };
        Ok(Detections { boxes: zeroed(0)?, classes: zeroed(1)?, scores: zeroed(2)?, count: zeroed(3)? })
    }

    /// Writes a detection. A regular search may find more boxes than the outputs have rows; these are ignored.
    fn put(&mut self, row: usize, corners: [f32; 4], class: usize, score: f32) {
        if row < self.scores.len() {
            self.boxes[row * 4..][..4].copy_from_slice(&corners);
            self.classes[row] = class as f32;
            self.scores[row] = score;
        }
    }
}

/// Writes the classes of the `wanted` best scores to the front of `classes`, best first.
fn best_classes(scores: &[f32], wanted: usize, classes: &mut [i32]) {
    if wanted == 1 {
        classes[0] = first_maximum(scores) as i32;
        return;
    }
    classes.iter_mut().zip(0..).for_each(|(class, i)| *class = i);
    partial_sort(classes, wanted, |a, b| scores[a as usize] > scores[b as usize]);
}

/// The index of the first largest score; NaN loses against numbers.
fn first_maximum(scores: &[f32]) -> usize {
    let mut best = 0;
    for (i, score) in scores.iter().enumerate() {
        if *score > scores[best] || scores[best].is_nan() && !score.is_nan() {
            best = i;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{FlexBuilder, OpTest, Spec, Tensor};

    fn options(o: FlexBuilder) -> FlexBuilder {
        let o = o.int("max_detections", 3).int("max_classes_per_detection", 1).int("num_classes", 2);
        let o = o.float("nms_score_threshold", 0.1).float("nms_iou_threshold", 0.5);
        o.float("y_scale", 10.0).float("x_scale", 10.0).float("h_scale", 5.0).float("w_scale", 5.0)
    }

    /// Unit boxes with their corners at 0, 0; 0, 0.125; 0, 5; 0, 10. The scores are those for a background and two
    /// classes.
    fn test(change: impl FnOnce(FlexBuilder) -> FlexBuilder) -> OpTest<DetectionPostProcess> {
        let anchors = [0.5, 0.5, 1., 1., 0.5, 0.5, 1., 1., 0.5, 5.5, 1., 1., 0.5, 10.5, 1., 1.];
        let encodings = [[0f32; 4], [0., 1.25, 0., 0.], [0.; 4], [0.; 4]].concat();
        let scores = [0., 0.9, 0.8, 0., 0.75, 0.85, 0., 0.6, 0.05, 0., 0.02, 0.3];
        outputs(
            OpTest::new()
                .flexbuffer(|o| change(options(o)))
                .input(Tensor::f32(&[1, 4, 4], &encodings))
                .input(Tensor::f32(&[1, 4, 3], &scores))
                .constant(Tensor::f32(&[4, 4], &anchors)),
        )
    }

    fn outputs(test: OpTest<DetectionPostProcess>) -> OpTest<DetectionPostProcess> {
        test.output(Spec::f32()).output(Spec::f32()).output(Spec::f32()).output(Spec::f32())
    }

    /// The left sides, classes and scores of the detections, and their number.
    fn found(test: &OpTest<DetectionPostProcess>) -> (Vec<f32>, Vec<f32>, Vec<f32>, f32) {
        let y = test.run().unwrap();
        let boxes = y[0].as_f32();
        assert!(boxes.chunks(4).all(|b| b[0] == 0.0 && (b[2] == 1.0 || b[2] == 0.0)));
        let lefts = boxes.chunks(4).map(|b| b[1]).collect();
        (lefts, y[1].as_f32(), y[2].as_f32(), y[3].as_f32()[0])
    }

    #[test]
    fn fast_search_returns_the_best_class_of_each_box() {
        let y = found(&test(|o| o));
        // The second box overlaps the first by 7 / 9.
        assert_eq!(y, (vec![0.0, 5.0, 10.0], vec![0., 0., 1.], vec![0.9, 0.6, 0.3], 3.0));
        let y = found(&test(|o| o.int("max_classes_per_detection", 2)));
        assert_eq!(y.0, [0.0, 0.0, 5.0, 5.0, 10.0, 10.0]);
        assert_eq!((y.1, y.2), (vec![0., 1., 0., 1., 1., 0.], vec![0.9, 0.8, 0.6, 0.05, 0.3, 0.02]));
    }

    #[test]
    fn regular_search_ranks_each_class() {
        let y = found(&test(|o| o.bool("use_regular_nms", true)));
        assert_eq!(y, (vec![0.0, 0.125, 5.0], vec![0., 1., 0.], vec![0.9, 0.85, 0.6], 3.0));
        let y = found(&test(|o| o.bool("use_regular_nms", true).int("detections_per_class", 1)));
        assert_eq!(y, (vec![0.0, 0.125, 0.0], vec![0., 1., 0.], vec![0.9, 0.85, 0.0], 2.0));
    }

    #[test]
    fn missing_boxes_are_zero() {
        let y = found(&test(|o| o.float("nms_score_threshold", 0.7)));
        assert_eq!(y, (vec![0.0; 3], vec![0.; 3], vec![0.9, 0.0, 0.0], 1.0));
        let y = found(&test(|o| o.int("max_detections", 0)));
        assert_eq!(y, (vec![], vec![], vec![], 0.0));
    }

    #[test]
    fn quantized() {
        // Half sizes are ½ e^(ln 2) = 1 times the anchor's size, which is 1.
        let encodings = [10u8, 10, 17, 17, 99];
        let test = outputs(
            OpTest::new()
                .flexbuffer(|o| options(o).int("num_classes", 1))
                .input(Tensor::u8(&[1, 1, 5], &encodings).quantized(5.0 * core::f32::consts::LN_2 / 7.0, 10))
                .input(Tensor::u8(&[1, 1, 1], &[200]).quantized(0.25, 100))
                .input(Tensor::u8(&[1, 4], &[4, 8, 2, 2]).quantized(0.5, 0)),
        );
        let y = test.run().unwrap();
        let close = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(close(&y[0].as_f32(), &[1., 3., 3., 5., 0., 0., 0., 0.]), "{y:?}");
        assert_eq!((y[1].as_f32()[0], y[2].as_f32()[0], y[3].as_f32()[0]), (0.0, 25.0, 1.0));
    }

    #[test]
    fn missing_options_are_named() {
        let error = |o: &dyn Fn(FlexBuilder) -> FlexBuilder| test(o).run().unwrap_err().message().to_owned();
        for key in
            ["max_detections", "max_classes_per_detection", "nms_iou_threshold", "num_classes", "w_scale"]
        {
            assert_eq!(error(&|o| o.without(key)), format!("the custom options lack '{key}'"));
        }
        let absent = test(|o| o).custom_options(&[]).run().unwrap_err();
        assert_eq!(absent.message(), "the custom options lack 'max_detections'");
        assert_eq!(
            error(&|o| o.int("max_detections", -1)),
            "option 'max_detections' is -1; it must be at least 0"
        );
        assert_eq!(
            error(&|o| o.float("nms_iou_threshold", 1.5)),
            "option 'nms_iou_threshold' is 1.5; it must be above 0 and at most 1"
        );
        assert_eq!(
            error(&|o| o.int("num_classes", 4)),
            "scores 'in1' cover 3 classes, option 'num_classes' is 4; there may be one more for the background"
        );
        assert_eq!(
            error(&|o| o.int("max_detections", 1 << 30).int("max_classes_per_detection", 4)),
            "1073741824 detections of 4 classes each are too many"
        );
        // Negative anchor sizes swap the corners.
        let test = outputs(
            OpTest::<DetectionPostProcess>::new()
                .flexbuffer(options)
                .input(Tensor::f32(&[1, 1, 4], &[0.0; 4]))
                .input(Tensor::f32(&[1, 1, 2], &[1.0; 2]))
                .input(Tensor::f32(&[1, 4], &[0.0, 0.0, -2.0, 2.0])),
        );
        assert_eq!(test.run().unwrap_err().message(), "box 0 ends before it begins: from 1, -1 to -1, 1");
    }
}
