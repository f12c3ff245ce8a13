//! The file's own description of its inputs and outputs.
//!
//! Two formats: TensorFlow Lite metadata (a flatbuffer in the metadata entry `TFLITE_METADATA`; label files are in a
//! zip archive at the end of the model file, <https://www.tensorflow.org/lite/models/convert/metadata>), and the
//! `metadata.json` that Ultralytics' export puts into the same archive. A file can claim anything, so sizes are bounded
//! and unknown contents are ignored.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use arenite::Model;
use serde::Deserialize;
use zip::ZipArchive;

use crate::flat::Table;

/// Limit of an unpacked label file or `metadata.json`, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// The largest number of labels that are read from one file.
const MAX_LABELS: usize = 1 << 17;
/// Most files of the archive that are looked at.
const MAX_FILES: usize = 64;

/// Metadata of a model; each part is empty if the file lacks it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// The model's name.
    pub name: String,
    /// The model's description.
    pub description: String,
    /// Names and unpacked sizes in bytes of the files in the archive at the end of the model.
    pub files: Vec<(String, u64)>,
    /// The inputs, in the order of the main subgraph.
    pub inputs: Vec<InputMetadata>,
    /// The outputs, in the same order.
    pub outputs: Vec<OutputMetadata>,
    /// What Ultralytics' export says.
    pub yolo: Option<Yolo>,
}

/// Metadata of an input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputMetadata {
    /// Its name, such as `image`.
    pub name: String,
    /// Mean of the pixels, one for all channels or one per channel.
    pub mean: Vec<f32>,
    /// Standard deviation of the pixels, as many as `mean`.
    pub std: Vec<f32>,
    /// Samples per second, if the input is sound.
    pub sample_rate: Option<u32>,
}

/// Metadata of an output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutputMetadata {
    /// Its name, such as `score`.
    pub name: String,
    /// Names along the last axis, for scores.
    pub axis_labels: Vec<String>,
    /// Names of the output's values, for class numbers.
    pub value_labels: Vec<String>,
    /// How its rows describe boxes.
    pub boxes: Option<BoxFormat>,
}

/// How four numbers describe a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxFormat {
    /// Which of the four numbers is left, top, right and bottom (or, for a centre: x, y, width, height).
    pub order: [usize; 4],
    /// Whether they are pixels of the input rather than fractions of it.
    pub pixels: bool,
    /// Meaning of the numbers.
    pub corners: Corners,
}

/// Meaning of a box's four numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corners {
    /// Left, top, right, bottom.
    Boundaries,
    /// Left, top, width, height.
    UpperLeft,
    /// Centre x, centre y, width, height.
    Center,
}

/// A YOLO model exported by Ultralytics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Yolo {
    /// `detect`, `segment`, `pose`, `classify` or `obb`.
    pub task: String,
    /// Names of the classes, by number.
    pub names: Vec<String>,
}

impl Metadata {
    /// Reads the metadata of a model's main subgraph.
    pub fn of(model: &Model) -> Self {
        let view = model.view();
        let mut archive = ZipArchive::new(Cursor::new(view.bytes())).ok();
        let mut metadata = Metadata::default();
        if let Some(bytes) = view.metadata("TFLITE_METADATA") {
            metadata.read_tflite(bytes, &mut archive);
        }
        metadata.files = archive.as_mut().map(list_files).unwrap_or_default();
        metadata.yolo = archive.as_mut().and_then(read_yolo);
        metadata
    }

    fn read_tflite(&mut self, bytes: &[u8], archive: &mut Option<Archive<'_>>) {
        let Some(root) = Table::root(bytes) else { return };
        self.name = root.text(0).unwrap_or_default().to_owned();
        self.description = root.text(1).unwrap_or_default().to_owned();
        let Some(subgraph) = root.tables(3).next() else { return };
        self.inputs = subgraph.tables(2).take(MAX_FILES).map(|table| input(&table)).collect();
        self.outputs = subgraph.tables(3).take(MAX_FILES).map(|table| output(&table, archive)).collect();
    }
}

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// Content types of `Content`.
const BOUNDING_BOX: u8 = 3;
const AUDIO: u8 = 4;
/// A unit of `process_units` that normalizes.
const NORMALIZATION: u8 = 1;
/// Types of an associated file.
const AXIS_LABELS: u8 = 2;
const VALUE_LABELS: u8 = 3;

fn input(tensor: &Table<'_>) -> InputMetadata {
    let normalization =
        tensor.tables(4).find(|unit| unit.byte(0) == NORMALIZATION).and_then(|unit| unit.table(1));
    let content = tensor.table(3);
    let audio = content.filter(|content| content.byte(0) == AUDIO).and_then(|content| content.table(1));
    let (mean, std) = normalization.map_or_else(Default::default, |n| (n.floats(0), n.floats(1)));
    let usable = mean.len() == std.len()
        && mean.iter().all(|m| m.is_finite())
        && std.iter().all(|s| s.is_finite() && *s > 0.0);
    let (mean, std) = if usable { (mean, std) } else { Default::default() };
    let name = tensor.text(0).unwrap_or_default().to_owned();
    InputMetadata { name, mean, std, sample_rate: audio.map(|audio| audio.word(0)).filter(|&rate| rate > 0) }
}

fn output(tensor: &Table<'_>, archive: &mut Option<Archive<'_>>) -> OutputMetadata {
    let mut labels = |kind: u8| {
        // Files in further languages have a locale.
        let file =
            tensor.tables(6).find(|file| file.byte(2) == kind && file.text(3).is_none_or(str::is_empty));
        let name = file.and_then(|file| file.text(0))?;
        read_labels(archive.as_mut()?, name)
    };
    OutputMetadata {
        name: tensor.text(0).unwrap_or_default().to_owned(),
        axis_labels: labels(AXIS_LABELS).unwrap_or_default(),
        value_labels: labels(VALUE_LABELS).unwrap_or_default(),
        boxes: box_format(tensor),
    }
}

fn box_format(tensor: &Table<'_>) -> Option<BoxFormat> {
    let content = tensor.table(3).filter(|content| content.byte(0) == BOUNDING_BOX)?;
    let properties = content.table(1)?;
    let corners = match properties.byte(1) {
        1 => Corners::Boundaries,
        2 => Corners::UpperLeft,
        3 => Corners::Center,
        _ => return None,
    };
    let order: Vec<usize> = properties.words(0).into_iter().filter_map(|i| usize::try_from(i).ok()).collect();
    // Without an index the numbers are in order.
    let order: [usize; 4] = if order.is_empty() { [0, 1, 2, 3] } else { order.try_into().ok()? };
    let is_permutation = (0..4).all(|i| order.contains(&i));
    is_permutation.then_some(BoxFormat { order, pixels: properties.byte(2) == 1, corners })
}

/// Names and sizes of the archive's files.
fn list_files(archive: &mut Archive<'_>) -> Vec<(String, u64)> {
    let count = archive.len().min(MAX_FILES);
    let file = |i: usize| {
        let file = archive.by_index_raw(i).ok()?;
        Some((file.name().ok()?.into_owned(), file.size()))
    };
    (0..count).filter_map(file).collect()
}

fn read_labels(archive: &mut Archive<'_>, name: &str) -> Option<Vec<String>> {
    let text = read_file(archive, name)?;
    Some(text.trim_end().lines().take(MAX_LABELS).map(|line| line.trim().to_owned()).collect())
}

/// A text file of the archive; `None` if it is missing, damaged, too large or not UTF-8.
fn read_file(archive: &mut Archive<'_>, name: &str) -> Option<String> {
    let mut text = String::new();
    let file = archive.by_name(name).ok()?;
    let read = file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).ok()?;
    (read as u64 <= MAX_FILE_BYTES).then_some(text)
}

#[derive(Deserialize)]
struct UltralyticsFile {
    task: String,
    names: BTreeMap<u32, String>,
}

fn read_yolo(archive: &mut Archive<'_>) -> Option<Yolo> {
    let names = archive.file_names().take(MAX_FILES).flatten().map(|name| name.into_owned());
    let names: Vec<String> = names.collect();
    let name = names.into_iter().find(|name| name.rsplit('/').next() == Some("metadata.json"))?;
    let file: UltralyticsFile = serde_json::from_str(&read_file(archive, &name)?).ok()?;
    let dense = file.names.keys().copied().eq(0..u32::try_from(file.names.len()).ok()?);
    dense.then(|| Yolo { task: file.task, names: file.names.into_values().collect() })
}
