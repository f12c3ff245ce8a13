//! Objects and where they are: the answers of detection models.
//!
//! Four forms are read, in this order; each is checked against the values before it is believed:
//!
//! 1. the op `TFLite_Detection_PostProcess`, whose outputs have fixed roles;
//! 2. YOLO: `[1, 4 + classes, boxes]` or its transpose (`5 + classes` with an objectness), if labels or metadata give
//!    the number of classes;
//! 3. four outputs of a detector: `[1,N,4]`, two of `[1,N]`, and a count;
//! 4. boxes `[1,N,4]` and scores `[1,N,C]`, if the boxes are boxes and not offsets to anchors.

use arenite::ElementType;
use arenite_common::values::element_count;

use crate::boxes::{Bounds, Detection, suppress};
use crate::classes::label;
use crate::clues::{Clues, Output};
use crate::metadata::{BoxFormat, Corners};

/// What TensorFlow's detectors write: top, left, bottom, right, in fractions of the picture.
const TENSORFLOW: BoxFormat = BoxFormat { order: [1, 0, 3, 2], pixels: false, corners: Corners::Boundaries };
/// What YOLO writes: centre, width, height.
const YOLO: BoxFormat = BoxFormat { order: [0, 1, 2, 3], pixels: false, corners: Corners::Center };

/// Boxes that were read, and the outputs they come from.
pub(crate) struct BoxSet {
    pub outputs: Vec<usize>,
    pub detections: Vec<Detection>,
}

/// `Ok(None)`: the outputs have none of the forms. `Err`: they have a form, but their values contradict it.
pub(crate) type Outcome = Result<Option<BoxSet>, String>;

pub(crate) fn read(outputs: &[Output<'_>], clues: &Clues<'_>) -> Outcome {
    for form in [by_op, yolo, four_outputs, boxes_and_scores] {
        if let Some(found) = form(outputs, clues)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn by_op(outputs: &[Output<'_>], clues: &Clues<'_>) -> Outcome {
    let Some(roles) = clues.detection_op else { return Ok(None) };
    let all = roles.map(|i| outputs.iter().find(|output| output.index == i));
    let [Some(boxes), Some(classes), Some(scores), Some(count)] = all else { return Ok(None) };
    Ok(Some(listed(&SelectedBoxes { boxes, classes, scores, count }, clues)))
}

/// The four outputs of a detector that has already selected its boxes.
struct SelectedBoxes<'a> {
    boxes: &'a Output<'a>,
    classes: &'a Output<'a>,
    scores: &'a Output<'a>,
    count: &'a Output<'a>,
}

fn listed(parts: &SelectedBoxes<'_>, clues: &Clues<'_>) -> BoxSet {
    let SelectedBoxes { boxes, classes, scores, count } = *parts;
    let named = |output: &Output<'_>| clues.metadata.outputs.get(output.index).cloned().unwrap_or_default();
    let format = named(boxes).boxes.unwrap_or(TENSORFLOW);
    let own = named(classes).value_labels;
    let labels = if clues.labels.is_empty() { &own } else { clues.labels };
    // Label files of COCO models begin with the background, which these class numbers leave out.
    let skipped = usize::from(labels.first().is_some_and(|first| first == "???"));
    let (rows, numbers, values) = (boxes.reals(), classes.reals(), scores.reals());
    let most = count.reals().first().map_or(0, |&n| n.max(0.0) as usize);
    let detections = rows.chunks_exact(4).zip(numbers.iter().zip(&values)).take(most);
    let detections = detections.filter(|(_, (_, score))| **score >= f64::from(clues.threshold));
    let detections = detections.map(|(row, (&class, &score))| {
        let class = class.max(0.0) as usize;
        let bounds = Bounds::read(four(row), &format, clues.size());
        Detection { class, label: label(labels, class.saturating_add(skipped)), score: score as f32, bounds }
    });
    let outputs = [boxes, classes, scores, count].map(|output| output.index).to_vec();
    BoxSet { outputs, detections: detections.collect() }
}

fn four_outputs(outputs: &[Output<'_>], clues: &Clues<'_>) -> Outcome {
    let Some(boxes) = outputs.iter().find(|output| is_boxes(output)) else { return Ok(None) };
    let n = boxes.tensor.shape.get(1).copied().unwrap_or(0);
    let columns: Vec<&Output<'_>> = outputs.iter().filter(|o| o.tensor.shape == [1, n] && n > 1).collect();
    let count = outputs.iter().find(|o| element_count(o.tensor.shape) == 1);
    let (&[a, b], Some(count)) = (&columns[..], count) else { return Ok(None) };
    let number = count.reals().first().copied().unwrap_or(-1.0);
    if number.fract() != 0.0 || !(0.0..=f64::from(n)).contains(&number) {
        return Err(format!("{} is {number}, not a number of boxes up to {n}", count.title()));
    }
    let used = number as usize;
    let are_classes =
        |output: &Output<'_>| output.reals().iter().take(used).all(|v| v.fract() == 0.0 && *v >= 0.0);
    let are_scores = |output: &Output<'_>| output.reals().iter().take(used).all(|v| (0.0..=1.0).contains(v));
    let (classes, scores) = match (are_classes(a) && are_scores(b), are_classes(b) && are_scores(a)) {
        (true, false) => (a, b),
        (false, true) => (b, a),
        (true, true) if used == 0 => (a, b),
        _ => {
            return Err(format!("the values of {} and {} fit both classes and scores", a.title(), b.title()));
        }
    };
    Ok(Some(listed(&SelectedBoxes { boxes, classes, scores, count }, clues)))
}

fn boxes_and_scores(outputs: &[Output<'_>], clues: &Clues<'_>) -> Outcome {
    let Some(boxes) = outputs.iter().find(|output| is_boxes(output)) else { return Ok(None) };
    let n = boxes.tensor.shape.get(1).copied().unwrap_or(0);
    let is_scores = |o: &&Output<'_>| {
        o.index != boxes.index && matches!(o.tensor.shape, &[1, m, c] if m == n && c >= 1 && n > 1)
    };
    let Some(scores) = outputs.iter().find(is_scores) else { return Ok(None) };
    let columns = scores.tensor.shape.last().map_or(1, |&c| c as usize);
    let values = scores.reals();
    if !values.iter().all(|v| (0.0..=1.0).contains(v)) {
        return Err(format!("{} holds values outside 0..1, so they are not scores of boxes", scores.title()));
    }
    let format = clues.metadata.outputs.get(boxes.index).and_then(|o| o.boxes).unwrap_or(TENSORFLOW);
    // With one label less than there are columns, the first column is the background.
    let background = usize::from(columns == clues.labels.len() + 1 && columns > 1);
    let mut candidates = Vec::new();
    for (row, values) in boxes.reals().chunks_exact(4).zip(values.chunks_exact(columns)) {
        let Some((class, score)) = best(values.iter().copied().enumerate().skip(background)) else {
            continue;
        };
        if score < f64::from(clues.threshold) {
            continue;
        }
        let bounds = Bounds::read(four(row), &format, clues.size());
        if !bounds.is_plausible() {
            return Err(format!(
                "{} does not hold boxes within the picture; if they are offsets to anchors, the file has no anchors",
                boxes.title()
            ));
        }
        let class = class - background;
        candidates.push(Detection { class, label: label(clues.labels, class), score: score as f32, bounds });
    }
    Ok(Some(BoxSet { outputs: vec![boxes.index, scores.index], detections: suppress(candidates) }))
}

fn yolo(outputs: &[Output<'_>], clues: &Clues<'_>) -> Outcome {
    let exported = clues.metadata.yolo.as_ref().filter(|yolo| yolo.task != "classify");
    let names = match exported {
        _ if !clues.labels.is_empty() => clues.labels,
        Some(yolo) => &yolo.names,
        None => return Ok(None),
    };
    let extra = exported.map_or(0, |yolo| match yolo.task.as_str() {
        // Mask coefficients; 17 keypoints of three numbers.
        "segment" => 32,
        "pose" => 51,
        _ => 0,
    });
    let head = |rows: usize| match rows.checked_sub(names.len() + extra) {
        Some(head @ (4 | 5)) => Some(head),
        _ => None,
    };
    for output in outputs {
        let &[1, a, b] = output.tensor.shape else { continue };
        let (a, b) = (a as usize, b as usize);
        let layout = match (head(a), head(b)) {
            (Some(head), _) if b > 2 * a => Layout { head, count: b, field_stride: b, box_stride: 1 },
            (_, Some(head)) if a > 2 * b => Layout { head, count: a, field_stride: 1, box_stride: b },
            _ => continue,
        };
        return yolo_boxes(output, &layout, names, clues).map(Some);
    }
    Ok(None)
}

/// How a YOLO output is stored.
struct Layout {
    /// Fields before the classes: 4, or 5 with an objectness.
    head: usize,
    count: usize,
    /// Elements from one field of a box to the next.
    field_stride: usize,
    /// Elements from one box to the next.
    box_stride: usize,
}

fn yolo_boxes(
    output: &Output<'_>,
    layout: &Layout,
    names: &[String],
    clues: &Clues<'_>,
) -> Result<BoxSet, String> {
    let values = output.reals();
    let field = |i: usize, k: usize| {
        values.get(i * layout.box_stride + k * layout.field_stride).copied().unwrap_or(0.0)
    };
    // Exports for TensorFlow Lite give fractions of the picture, others pixels.
    let widest = (0..layout.count).map(|i| field(i, 2)).fold(0.0, f64::max);
    let format = BoxFormat { pixels: widest > 2.0, ..YOLO };
    let mut candidates = Vec::new();
    for i in 0..layout.count {
        let scores = (0..names.len()).map(|class| (class, field(i, layout.head + class)));
        let Some((class, score)) = best(scores) else { continue };
        let score = if layout.head == 5 { score * field(i, 4) } else { score };
        if !(-0.01..=1.01).contains(&score) {
            return Err(format!("{} has a score of {score}, not one from 0 to 1", output.title()));
        }
        if score < f64::from(clues.threshold) {
            continue;
        }
        let bounds = Bounds::read([0, 1, 2, 3].map(|k| field(i, k) as f32), &format, clues.size());
        if !bounds.is_plausible() {
            return Err(format!("{} does not hold boxes within the picture", output.title()));
        }
        candidates.push(Detection { class, label: label(names, class), score: score as f32, bounds });
    }
    Ok(BoxSet { outputs: vec![output.index], detections: suppress(candidates) })
}

/// Whether an output has the form of a list of boxes.
fn is_boxes(output: &Output<'_>) -> bool {
    let is_number = !matches!(output.tensor.ty, ElementType::Bool | ElementType::I64);
    is_number && matches!(output.tensor.shape, &[1, n, 4] if n > 1)
}

fn best(scores: impl Iterator<Item = (usize, f64)>) -> Option<(usize, f64)> {
    scores.max_by(|a, b| a.1.total_cmp(&b.1))
}

fn four(row: &[f64]) -> [f32; 4] {
    [0, 1, 2, 3].map(|i| row.get(i).map_or(0.0, |&v| v as f32))
}
