//! Folders of `.npy` files with a model's tensors.

use std::path::Path;

use arenite::ElementType;
use arenite::model_file::{SubGraph, Tensor};

use super::recording::{RecordedTensor, Recording, Values};
use crate::answer::{Failure, Result};
use crate::npy;

/// Reads a folder. Adds the names of files that belong to no tensor to `unused`.
///
/// # Errors
/// The folder or a file of a tensor cannot be read, or no file belongs to a tensor.
pub fn read(dir: &Path, graph: &SubGraph<'_>, unused: &mut Vec<String>) -> Result<Recording> {
    let fail = |error: std::io::Error| Failure::with(dir.display(), error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|extension| extension == "npy") {
            files.push(path);
        }
    }
    files.sort();
    let mut recording = Recording::default();
    for path in &files {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let known = find(graph, &stem).and_then(|index| Some((index, graph.tensors().get(index)?)));
        match known {
            Some((index, tensor)) => {
                recording.tensors.insert(index, recorded(path, &tensor)?);
            }
            None => unused.push(stem.into_owned()),
        }
    }
    if recording.tensors.is_empty() {
        let text = format!(
            "none of its {} .npy files is named after a tensor: N.npy for tensor N, NAME.npy for its name, or out_K.npy \
             for output K",
            files.len()
        );
        return Err(Failure::with(dir.display(), text));
    }
    Ok(recording)
}

/// The tensor that a file is named after: its index, its name, or the position of an output.
fn find(graph: &SubGraph<'_>, stem: &str) -> Option<usize> {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
    let is_named = |tensor: &Tensor<'_>| {
        let name = tensor.name().unwrap_or("");
        name == stem || !name.is_empty() && name.chars().map(safe).eq(stem.chars())
    };
    let by_index = stem.parse::<usize>().ok().filter(|&index| index < graph.tensors().len());
    let by_name = || graph.tensors().iter().position(|tensor| is_named(&tensor));
    let by_output = || {
        let output = stem.strip_prefix("out_")?.parse().ok()?;
        usize::try_from(graph.outputs().get(output)?).ok()
    };
    by_index.or_else(by_name).or_else(by_output)
}

fn recorded(path: &Path, tensor: &Tensor<'_>) -> Result<RecordedTensor> {
    let npy::Numbers { shape, values, is_float } = npy::read_numbers(path)?;
    let shape = shape.iter().map(|&dim| i32::try_from(dim).unwrap_or(i32::MAX)).collect();
    // A quantized tensor may be given as stored integers, or as real numbers.
    let values = Values::Reals(if is_float { values } else { real(tensor, values) });
    Ok(RecordedTensor {
        name: tensor.name().unwrap_or("").to_owned(),
        by: String::new(),
        shape,
        ty: ElementType::F32,
        step: None,
        values,
    })
}

/// The real values of stored integers.
fn real(tensor: &Tensor<'_>, mut values: Vec<f64>) -> Vec<f64> {
    let Some(quantization) = tensor.quantization().filter(|q| !q.scale().is_empty()) else { return values };
    let scales: Vec<f32> = quantization.scale().iter().collect();
    let zero_points: Vec<i64> = quantization.zero_point().iter().collect();
    let dimension = usize::try_from(tensor.quantized_dimension()).unwrap_or(0);
    let inner: usize =
        tensor.shape().iter().skip(dimension + 1).map(|dim| usize::try_from(dim).unwrap_or(1)).product();
    for (i, value) in values.iter_mut().enumerate() {
        let channel = i / inner.max(1) % scales.len().max(1);
        let scale = scales.get(channel).copied().unwrap_or(1.0);
        let zero_point = zero_points.get(channel).or(zero_points.first()).copied().unwrap_or(0);
        *value = f64::from(scale) * (*value - zero_point as f64);
    }
    values
}

/// Writes each tensor's real values to `DIR/N.npy`.
///
/// # Errors
/// A file cannot be written.
pub(super) fn write(dir: &Path, recording: &Recording) -> Result<()> {
    std::fs::create_dir_all(dir).map_err(|e| Failure::with(dir.display(), e))?;
    for (index, recorded) in &recording.tensors {
        let Values::Reals(values) = &recorded.values else { continue };
        let shape: Vec<u64> = recorded.shape.iter().map(|&dim| u64::try_from(dim).unwrap_or(0)).collect();
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        npy::write(&dir.join(format!("{index}.npy")), ElementType::F64, &shape, &bytes)?;
    }
    Ok(())
}
