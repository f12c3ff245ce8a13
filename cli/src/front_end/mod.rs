//! Audio front ends: models that turn frames of samples into features, run frame by frame. Their outputs, in sequence,
//! fill the input of a model that takes features.

mod micro;

use std::path::Path;
use std::sync::Arc;

use arenite::{ElementType, Interpreter, Model, Registry};
use arenite_common::values::{element, element_count, quantized, reals, set_element};

use crate::answer::{Failure, Result};
use crate::options::{Choice, load_model};
use crate::text;

/// Number of features per frame of the front end `micro`.
pub(crate) const MICRO_CHANNELS: usize = micro::CHANNELS;

/// A model that computes features.
pub(crate) struct FrontEnd {
    name: String,
    interpreter: Interpreter,
    /// Samples per frame.
    window: usize,
    /// Samples from the start of a frame to the start of the next.
    pub stride: usize,
    /// Values per frame.
    pub channels: usize,
}

/// Features of one frame after another.
pub(crate) struct Features {
    /// Real numbers, or stored ones if `stored` is given.
    pub values: Vec<f32>,
    /// The type of a front end whose integers have no scale. Only an input of the same type takes them.
    pub stored: Option<ElementType>,
}

impl FrontEnd {
    /// Loads `micro`, or a model file, which runs with these plugins.
    pub(crate) fn open(choice: &Choice, registry: &Arc<Registry>) -> Result<Self> {
        let name = choice.name().to_owned();
        let fail = |message: String| Failure::new(format!("--frontend {name}: {message}"));
        let stride = stride(choice).map_err(fail)?;
        let (model, default) = match name.as_str() {
            "micro" => (Model::from_bytes(micro::model())?, Some(micro::STRIDE)),
            file => (load_model(Path::new(file))?, None),
        };
        let mut interpreter = Interpreter::builder(&model).registry(Arc::clone(registry)).build()?;
        interpreter.allocate()?;
        let counts = (interpreter.input_count(), interpreter.output_count());
        let (1, 1..) = counts else {
            return Err(fail(format!(
                "it has {} and {}; a front end has one input, a frame of samples, and its first output are the features",
                text::count(counts.0, "input"),
                text::count(counts.1, "output")
            )));
        };
        let window = element_count(interpreter.input(0)?.shape);
        let channels = element_count(interpreter.output(0)?.shape);
        if window == 0 || channels == 0 {
            return Err(fail(format!("it takes {window} samples and returns {channels} features")));
        }
        let stride = stride.or(default).ok_or_else(|| {
            fail(format!(
                "it takes frames of {window} samples; give the number of samples from one start to the next, for instance \
                 --frontend {name}:stride={}",
                window.div_ceil(3) * 2
            ))
        })?;
        Ok(FrontEnd { name, interpreter, window, stride, channels })
    }

    /// Samples that `frames` frames cover.
    pub(crate) fn samples(&self, frames: usize) -> usize {
        frames.saturating_sub(1).saturating_mul(self.stride).saturating_add(self.window)
    }

    /// Number of frames that cover this many samples; the last one may reach beyond them.
    pub(crate) fn frames(&self, samples: usize) -> usize {
        samples.saturating_sub(self.window).div_ceil(self.stride) + 1
    }

    /// Computes `frames` frames of features; silence follows the samples.
    pub(crate) fn run(&mut self, samples: &[f32], frames: usize) -> Result<Features> {
        let mut features = Features { values: Vec::with_capacity(frames * self.channels), stored: None };
        for frame in 0..frames {
            let start = (frame * self.stride).min(samples.len());
            let mut window = samples[start..].iter().copied().take(self.window).collect::<Vec<f32>>();
            window.resize(self.window, 0.0);
            let bytes = store_samples(&self.interpreter.input(0)?, &window);
            let bytes = bytes.ok_or_else(|| self.failure("its input cannot hold samples"))?;
            self.interpreter.input_mut(0)?.copy_from_bytes(&bytes)?;
            self.interpreter.invoke()?;
            let output = self.interpreter.output(0)?;
            let bytes = output.bytes()?;
            let is_stored = output.scales.is_empty() && !is_float(output.ty);
            features.stored = is_stored.then_some(output.ty);
            let before = features.values.len();
            if is_stored {
                let numbers = (0..self.channels).map_while(|i| element(output.ty, bytes, i)?.real());
                features.values.extend(numbers.map(|value| value as f32));
            } else {
                features.values.extend(reals(&output, bytes).into_iter().map(|value| value as f32));
            }
            if features.values.len() - before != self.channels {
                return Err(self.failure("the number of its features changes from frame to frame"));
            }
        }
        Ok(features)
    }

    fn failure(&self, message: &str) -> Failure {
        Failure::new(format!("--frontend {}: {message}", self.name))
    }
}

fn stride(choice: &Choice) -> Result<Option<usize>, String> {
    let mut stride = None;
    for (key, value) in choice.options() {
        let number = value.parse::<usize>().ok().filter(|n| (1..=1 << 20).contains(n));
        match (key.as_str(), number) {
            ("stride", Some(number)) => stride = Some(number),
            ("stride", None) => return Err(format!("stride={value} is not a number of samples, 1 or more")),
            _ => return Err(format!("it has no option '{key}'; only 'stride' is supported")),
        }
    }
    Ok(stride)
}

pub(crate) fn is_float(ty: ElementType) -> bool {
    matches!(ty, ElementType::F16 | ElementType::BF16 | ElementType::F32 | ElementType::F64)
}

/// Samples in −1..1 as a tensor stores them: integers without a scale hold them over their full range, as PCM does.
/// `None` for a type that cannot hold real numbers.
pub(crate) fn store_samples(tensor: &arenite::Tensor<'_>, samples: &[f32]) -> Option<Vec<u8>> {
    use ElementType::*;
    let (full, zero) = match tensor.ty {
        _ if !tensor.scales.is_empty() => return quantized(tensor, samples),
        I8 => (128.0, 0.0),
        U8 => (128.0, 128.0),
        I16 => (32_768.0, 0.0),
        I32 => (2_147_483_648.0, 0.0),
        _ => return quantized(tensor, samples),
    };
    let mut bytes = vec![0; tensor.byte_len()];
    for (i, &sample) in samples.iter().enumerate() {
        set_element(tensor.ty, &mut bytes, i, f64::from(sample) * full + zero)?;
    }
    Some(bytes)
}
