//! The model's own description of its inputs, outputs and labels.

use std::fmt::{self, Display, Formatter};

use arenite::Model;
use arenite_answers::Metadata;
use serde::Serialize;

use crate::text::{self, HEAD, count, thousands};

/// Longest text that is shown.
const MAX_TEXT: usize = 400;

/// The parts of TensorFlow Lite's metadata that the program uses. Empty if the model has none.
#[derive(Serialize)]
pub(super) struct ModelDescription {
    name: String,
    description: String,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    /// Files that are packed into the model, such as labels.
    files: Vec<File>,
}

#[derive(Serialize)]
struct Input {
    name: String,
    /// Mean and standard deviation by which pixels are normalized.
    mean: Vec<f32>,
    std: Vec<f32>,
    sample_rate: Option<u32>,
}

#[derive(Serialize)]
struct Output {
    name: String,
    /// Number of labels.
    labels: usize,
    first_labels: Vec<String>,
}

#[derive(Serialize)]
struct File {
    name: String,
    bytes: u64,
}

impl ModelDescription {
    /// Reads the metadata; `None` if the model has none.
    pub(super) fn of(model: &Model) -> Option<Self> {
        let metadata = Metadata::of(model);
        if metadata == Metadata::default() {
            return None;
        }
        let input = |input: arenite_answers::InputMetadata| Input {
            name: input.name,
            mean: input.mean,
            std: input.std,
            sample_rate: input.sample_rate,
        };
        let output = |output: arenite_answers::OutputMetadata| {
            let labels = if output.axis_labels.is_empty() { output.value_labels } else { output.axis_labels };
            Output {
                name: output.name,
                labels: labels.len(),
                first_labels: labels.into_iter().take(3).collect(),
            }
        };
        Some(ModelDescription {
            name: metadata.name,
            description: metadata.description,
            inputs: metadata.inputs.into_iter().map(input).collect(),
            outputs: metadata.outputs.into_iter().map(output).collect(),
            files: metadata.files.into_iter().map(|(name, bytes)| File { name, bytes }).collect(),
        })
    }
}

impl Display for ModelDescription {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{HEAD}description{HEAD:#}")?;
        for text in [&self.name, &self.description].into_iter().filter(|text| !text.is_empty()) {
            writeln!(f, "  {}", text::shorten(text, MAX_TEXT))?;
        }
        for (i, input) in self.inputs.iter().enumerate() {
            write!(f, "  input {i} '{}'", text::shorten(&input.name, 60))?;
            if !input.mean.is_empty() {
                let (mean, std) = (text::join(&input.mean, ","), text::join(&input.std, ","));
                write!(f, "  mean {mean}  std {std}")?;
            }
            if let Some(rate) = input.sample_rate {
                write!(f, "  {rate} samples per second")?;
            }
            writeln!(f)?;
        }
        for (i, output) in self.outputs.iter().enumerate() {
            write!(f, "  output {i} '{}'", text::shorten(&output.name, 60))?;
            if output.labels > 0 {
                let first = text::shorten(&output.first_labels.join("; "), 80);
                write!(f, "  {}: {first} …", count(output.labels, "label"))?;
            }
            writeln!(f)?;
        }
        for file in &self.files {
            writeln!(f, "  file {}  {} bytes", text::shorten(&file.name, 80), thousands(file.bytes))?;
        }
        Ok(())
    }
}
