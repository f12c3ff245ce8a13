//! Sound as the value of an input: samples, or features that a front end computes from them.

use std::path::Path;
use std::sync::Arc;

use arenite::{ElementType, Registry, Tensor};
use arenite_common::values::{element_count, quantized, set_element};

use crate::answer::{Failure, Result};
use crate::front_end::{Features, FrontEnd, MICRO_CHANNELS, is_float, store_samples};
use crate::logging;
use crate::options::Choice;
use crate::sound::{self, Clip, USUAL_RATE};
use crate::text;

/// How sound fills an input, as `--help` shows it.
pub(crate) const RULE: &str = "\
Sound:
  An input with one long dimension takes samples in -1..1 (integers without a scale: over their
  full range). Models that take features need a front end:
    --frontend micro                   40 log-mel features in 0..26 every 20 ms, as TensorFlow Lite
                                       Micro's micro_speech; the default for an INT8 input of
                                       49 x 40 features in that range
    --frontend MODEL.tflite:stride=N   a model that turns a frame of samples into features, run
                                       every N samples; it keeps its state from frame to frame
    --frontend none                    the samples unchanged, whatever the input's shape";

/// Most samples that are read from one file for `--each`: an hour and ten minutes at 16 kHz.
const MAX_SAMPLES: usize = 1 << 26;

/// Features per input of micro_speech: 49 frames.
const MICRO_SPEECH: usize = 49 * MICRO_CHANNELS;

/// An input that takes sound.
pub(crate) struct Port<'a> {
    /// For messages, `input 0 'image' (INT8 [1,4])`.
    pub title: String,
    pub tensor: Tensor<'a>,
    /// Samples per second, from the model's metadata.
    pub rate: Option<u32>,
    pub front_end: Option<&'a Choice>,
    /// The plugins that front ends use.
    pub registry: &'a Arc<Registry>,
}

/// How much of a sound is fed.
#[derive(Clone, Copy)]
pub(crate) enum Span {
    /// One value of the input.
    One,
    /// The whole sound, as values that start every `hop` samples; without a hop, each value starts where the previous
    /// one ends.
    All { hop: Option<usize> },
}

/// A sound as the values of an input, for one step after another.
pub(crate) struct Track {
    values: Vec<f32>,
    /// Elements of the input.
    count: usize,
    /// Values from one step to the next.
    hop: usize,
    pub steps: usize,
    /// Seconds from one step to the next.
    pub period: f64,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Samples,
    Features { stored: Option<ElementType> },
}

impl Track {
    /// Reads as much of a file as one value of the input takes, or all of it.
    pub(crate) fn read(path: &Path, port: &Port<'_>, span: Span) -> Result<Self> {
        let count = element_count(port.tensor.shape);
        if count == 0 {
            return Err(Failure::new(format!("{} has no elements", port.title)));
        }
        let rate = port.rate.unwrap_or(USUAL_RATE);
        let Some(front_end) = front_end(port)? else {
            let clip = read_clip(path, port, rate, count, span)?;
            let hop = match span {
                Span::All { hop: Some(hop) } => hop,
                _ => count,
            };
            let steps = steps(clip.samples.len(), count, hop, span);
            let period = hop as f64 / f64::from(rate);
            return Ok(Track { values: clip.samples, count, hop, steps, period, kind: Kind::Samples });
        };
        Track::of_features(path, port, span, front_end, rate)
    }

    fn of_features(
        path: &Path,
        port: &Port<'_>,
        span: Span,
        mut front_end: FrontEnd,
        rate: u32,
    ) -> Result<Self> {
        let (count, channels, stride) =
            (element_count(port.tensor.shape), front_end.channels, front_end.stride);
        if !count.is_multiple_of(channels) {
            return Err(Failure::new(format!(
                "{} takes {count} numbers, which is not a multiple of the front end's {channels} features per frame",
                port.title
            )));
        }
        let frames = count / channels;
        let clip = read_clip(path, port, rate, front_end.samples(frames), span)?;
        let hop = match span {
            Span::All { hop: Some(hop) } if !hop.is_multiple_of(stride) => {
                return Err(Failure::new(format!(
                    "--hop {hop} is not a multiple of {stride} samples, which are between two frames of the front end"
                )));
            }
            Span::All { hop: Some(hop) } => hop / stride,
            _ => frames,
        };
        let steps = steps(front_end.frames(clip.samples.len()), frames, hop, span);
        // Silent frames complete the last step.
        let Features { values, stored } = front_end.run(&clip.samples, frames + (steps - 1) * hop)?;
        if let Some(ty) = stored.filter(|ty| *ty != port.tensor.ty) {
            return Err(Failure::new(format!(
                "the front end returns {ty} without a scale, which only fits an input of that type, but {} has another",
                port.title
            )));
        }
        let period = (hop * stride) as f64 / f64::from(rate);
        Ok(Track { values, count, hop: hop * channels, steps, period, kind: Kind::Features { stored } })
    }

    /// The bytes of `tensor` in step `step`; silence follows the sound. `None` if its type cannot hold them.
    pub(crate) fn bytes(&self, tensor: &Tensor<'_>, step: usize) -> Option<Vec<u8>> {
        let start = step.saturating_mul(self.hop).min(self.values.len());
        let mut values: Vec<f32> = self.values[start..].iter().copied().take(self.count).collect();
        values.resize(self.count, 0.0);
        match self.kind {
            Kind::Samples => store_samples(tensor, &values),
            Kind::Features { stored: None } => quantized(tensor, &values),
            Kind::Features { stored: Some(ty) } => {
                let mut bytes = vec![0; tensor.byte_len()];
                for (i, &value) in values.iter().enumerate() {
                    set_element(ty, &mut bytes, i, value.into())?;
                }
                Some(bytes)
            }
        }
    }
}

/// Number of values of length `count` that cover `length`, if one starts every `hop`.
fn steps(length: usize, count: usize, hop: usize, span: Span) -> usize {
    match span {
        Span::One => 1,
        Span::All { .. } => length.saturating_sub(count).div_ceil(hop.max(1)) + 1,
    }
}

fn read_clip(path: &Path, port: &Port<'_>, rate: u32, needed: usize, span: Span) -> Result<Clip> {
    let most = if matches!(span, Span::One) { needed } else { MAX_SAMPLES };
    let clip = sound::read(path, rate, most)?;
    let (title, given, path) = (&port.title, clip.given, path.display());
    if clip.rate != rate && port.rate.is_none() {
        let found = clip.rate;
        logging::note(format_args!(
            "{path} has {found} samples per second; the model does not say its rate, so {rate} is assumed"
        ));
    }
    match span {
        Span::One if given > most => logging::note(format_args!(
            "{path} has {given} samples, but {title} takes {most}; the rest is cut off, --each feeds all of it"
        )),
        Span::One if given < most => logging::note(format_args!(
            "{path} has {given} samples, but {title} takes {most}; silence follows"
        )),
        Span::All { .. } if given > most => {
            logging::note(format_args!("{path} has {given} samples; only the first {most} are read"));
        }
        _ => {}
    }
    Ok(clip)
}

/// The front end that is chosen, or that the input's form determines; `None` for samples.
fn front_end(port: &Port<'_>) -> Result<Option<FrontEnd>> {
    match port.front_end {
        Some(choice) if choice.name() == "none" => return Ok(None),
        Some(choice) => return FrontEnd::open(choice, port.registry).map(Some),
        None if port.rate.is_some() => return Ok(None),
        None => {}
    }
    let Tensor { ty, shape, .. } = port.tensor;
    let count = element_count(shape);
    let (title, range) = (&port.title, range(&port.tensor));
    let like_micro = range.is_some_and(|(low, high)| low.abs() < 0.5 && (25.0..27.0).contains(&high));
    if like_micro && ty == ElementType::I8 && count == MICRO_SPEECH {
        logging::note(format_args!(
            "{title} has the form of micro_speech's features, so --frontend micro computes them"
        ));
        return Ok(Some(FrontEnd::open(&Choice::of("micro"), port.registry)?));
    }
    let advice = match count.is_multiple_of(MICRO_CHANNELS) && (like_micro || is_float(ty)) {
        true => {
            "--frontend micro if it was trained with TensorFlow Lite Micro's features, --frontend \
                 MODEL.tflite:stride=N, or K=FILE.npy"
        }
        false => {
            "--frontend MODEL.tflite:stride=N with the model that computed them in training, or K=FILE.npy"
        }
    };
    let advice = format!("give features with {advice}; --frontend none passes the samples unchanged");
    let long = shape.iter().filter(|&&dim| dim > 1).count();
    let reason = match range {
        _ if long > 1 => "has more than one long dimension, so it takes features, not samples".to_owned(),
        Some((low, high)) if !(0.5..=1.5).contains(&high) || low > -0.5 => {
            format!("holds {low:.2} to {high:.2}, so it takes features, not samples in -1..1")
        }
        None if is_float(ty) && (count == MICRO_SPEECH || is_spectrum(count)) => {
            format!("takes {count} numbers, which may be samples or features")
        }
        _ => return Ok(None),
    };
    Err(Failure::new(format!("{title} {reason}; {advice}")))
}

/// Whether this is the number of frequencies of an FFT.
fn is_spectrum(count: usize) -> bool {
    count > 32 && (count - 1).is_power_of_two()
}

/// The real range of a quantized input.
fn range(tensor: &Tensor<'_>) -> Option<(f32, f32)> {
    let (&[scale], zero_point) = (tensor.scales, tensor.zero_points.first().copied().unwrap_or(0)) else {
        return None;
    };
    let (low, high) = match tensor.ty {
        ElementType::I8 => (-128.0, 127.0),
        ElementType::U8 => (0.0, 255.0),
        ElementType::I16 => (-32_768.0, 32_767.0),
        _ => return None,
    };
    Some((scale * (low - zero_point as f32), scale * (high - zero_point as f32)))
}

/// `input 0 'image' (FLOAT32 [1,4])`, for messages.
pub(crate) fn title(i: usize, name: &str, tensor: &Tensor<'_>) -> String {
    format!("input {i} '{}' ({} {})", text::shorten(name, 60), tensor.ty, text::shape(tensor.shape))
}
