//! Turns the outputs of a model into answers and draws them: classes, boxes, segmentations, poses, masks, pictures.
//!
//! Meaning comes from the model's metadata, from its ops, and from shapes and values, never from the position of an
//! output. Every guess is checked against the values. If a check fails, there is a note instead of an answer.
//!
//! ```no_run
//! use arenite_answers::{Answer, Readings};
//! # fn main() -> arenite::Result<()> {
//! let model = arenite::Model::from_file("detector.tflite")?;
//! let mut interpreter = arenite::Interpreter::builder(&model).build()?;
//! interpreter.allocate()?;
//! interpreter.invoke()?;
//! for reading in Readings::of(&interpreter, &[])?.readings {
//!     if let Answer::Detections(detections) = reading.answer {
//!         println!("{} objects", detections.len());
//!     }
//! }
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod answer;
mod boxes;
mod classes;
mod clues;
mod detections;
mod drawing;
mod flat;
mod grids;
mod interpreter;
mod metadata;
mod poses;
#[cfg(test)]
mod tests;

use arenite::{ElementType, Model};

pub use answer::{Answer, Reading};
pub use boxes::{Bounds, Detection};
pub use classes::{Classes, RankedClass, is_scores};
pub use clues::{Clues, Output};
pub use drawing::draw;
pub use grids::{Map, Painting, Segmentation, Share};
pub use metadata::{BoxFormat, Corners, InputMetadata, Metadata, OutputMetadata, Yolo};
pub use poses::{KEYPOINTS, Keypoint, Pose};

/// The readings of an invocation, and notes on outputs that have the form of an answer but other values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings {
    /// In the order of their first output.
    pub readings: Vec<Reading>,
    /// Why an output has no reading although its shape suggests one.
    pub notes: Vec<String>,
}

/// Reads the outputs of one invocation.
pub fn read(outputs: &[Output<'_>], clues: &Clues<'_>) -> Readings {
    let mut found = Readings::default();
    match detections::read(outputs, clues) {
        Ok(Some(boxes)) => found
            .readings
            .push(Reading { outputs: boxes.outputs, answer: Answer::Detections(boxes.detections) }),
        Ok(None) => {}
        Err(note) => found.notes.push(note),
    }
    let is_free = |found: &Readings, output: &Output<'_>| {
        !found.readings.iter().any(|reading| reading.outputs.contains(&output.index))
    };
    for output in outputs.iter().filter(|output| output.tensor.ty != ElementType::Bool) {
        if is_free(&found, output)
            && let Some(answer) = per_output(output, clues)
        {
            found.readings.push(Reading { outputs: vec![output.index], answer });
        }
    }
    if found.notes.is_empty()
        && let Some((index, classes)) = ranked(outputs.iter().filter(|o| is_free(&found, o)), clues)
    {
        found.readings.push(Reading { outputs: vec![index], answer: Answer::Classes(classes) });
    }
    found.readings.sort_by_key(|reading| reading.outputs.first().copied());
    found
}

fn per_output(output: &Output<'_>, clues: &Clues<'_>) -> Option<Answer> {
    poses::read(output, clues)
        .map(Answer::Poses)
        .or_else(|| grids::segmentation(output, clues).map(Answer::Segmentation))
        .or_else(|| grids::map(output, clues).map(Answer::Map))
        .or_else(|| grids::painting(output, clues).map(Answer::Painting))
}

/// The output to rank: one that has as many elements as there are labels; then one that the file has as many labels
/// for; then the first that holds probabilities, or any scores if the caller asks for a ranking.
fn ranked<'o, 'a: 'o>(
    outputs: impl Iterator<Item = &'o Output<'a>> + Clone,
    clues: &Clues<'_>,
) -> Option<(usize, Classes)> {
    let scores = || outputs.clone().filter(|output| is_scores(&output.tensor));
    let rank = |output: &Output<'_>, labels: &[String]| {
        (output.index, classes::rank(&output.tensor, output.bytes, labels, clues.top))
    };
    if !clues.labels.is_empty() {
        let fits = |o: &&Output<'_>| o.tensor.shape.last().is_some_and(|&d| d as usize == clues.labels.len());
        return scores().find(fits).or_else(|| scores().next()).map(|output| rank(output, clues.labels));
    }
    let own = |output: &Output<'_>| {
        let labels = clues.metadata.outputs.get(output.index).map(|o| o.axis_labels.as_slice());
        let all = labels.into_iter().chain(clues.metadata.yolo.as_ref().map(|yolo| yolo.names.as_slice()));
        let count = output.tensor.shape.last().map_or(0, |&d| d as usize);
        all.into_iter().find(|labels| labels.len() == count)
    };
    if let Some((output, labels)) = scores().find_map(|output| own(output).map(|labels| (output, labels))) {
        return Some(rank(output, labels));
    }
    let mut all = scores().map(|output| rank(output, &[]));
    if clues.ranks_anything { all.next() } else { all.find(|(_, classes)| classes.probabilities) }
}

/// The outputs of the main subgraph that the op `TFLite_Detection_PostProcess` writes: boxes, classes, scores, count.
pub fn detection_op(model: &Model) -> Option<[usize; 4]> {
    let view = model.view();
    let main = view.subgraph(0)?;
    let operator = main.operators().iter().find(|operator| {
        view.operator_code(operator).is_some_and(|code| code.name() == "TFLite_Detection_PostProcess")
    })?;
    let written: Vec<i32> = operator.outputs().iter().collect();
    let written: [i32; 4] = written.try_into().ok()?;
    let position = |tensor: i32| main.outputs().iter().position(|output| output == tensor);
    let [Some(boxes), Some(classes), Some(scores), Some(count)] = written.map(position) else { return None };
    Some([boxes, classes, scores, count])
}

/// For each output of the main subgraph, the length of the last axis of ARG_MAX's input, if ARG_MAX over that axis
/// writes the output. For a map of class numbers, this is the number of classes.
pub fn arg_max_classes(model: &Model) -> Vec<Option<usize>> {
    let view = model.view();
    let Some(main) = view.subgraph(0) else { return Vec::new() };
    let shape = |tensor: i32| {
        let tensor = main.tensors().get(usize::try_from(tensor).ok()?)?;
        Some(tensor.shape().iter().collect::<Vec<i32>>())
    };
    let classes = |output: i32| {
        let operator =
            main.operators().iter().find(|operator| operator.outputs().iter().any(|y| y == output))?;
        if view.operator_code(&operator)?.name() != "ARG_MAX" {
            return None;
        }
        let scores = shape(operator.inputs().iter().next()?)?;
        let (&last, others) = scores.split_last()?;
        (others == shape(output)?).then_some(usize::try_from(last).ok()?)
    };
    main.outputs().iter().map(classes).collect()
}
