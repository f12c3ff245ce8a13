//! Sound as an input: `.wav` files.

use std::f64::consts::PI;
use std::path::Path;

use arenite_common::file;
use hound::{SampleFormat, WavReader};

use crate::answer::{Failure, Result};

/// Samples per second of nearly all models for speech.
pub(crate) const USUAL_RATE: u32 = 16_000;

/// The rates that are read, in samples per second.
const RATES: std::ops::RangeInclusive<u32> = 1_000..=768_000;
/// Zero crossings of the resampling filter on each side.
const LOBES: f64 = 16.0;

/// The beginning of a `.wav` file.
pub(crate) struct Clip {
    /// Samples in −1..1, the channels averaged.
    pub samples: Vec<f32>,
    /// Samples of the whole file.
    pub given: usize,
    /// Samples per second of the file.
    pub rate: u32,
}

/// Reads up to `count` samples of a `.wav` file, at `rate` samples per second. The rest of the file is not read.
pub(crate) fn read(path: &Path, rate: u32, count: usize) -> Result<Clip> {
    let failed = |error: hound::Error| Failure::with(path.display(), error);
    let file = file::open(path).map_err(|e| Failure::with(path.display(), e))?;
    let reader = WavReader::new(std::io::BufReader::new(file)).map_err(failed)?;
    let spec = reader.spec();
    let channels = usize::from(spec.channels);
    if !RATES.contains(&spec.sample_rate) || !RATES.contains(&rate) || channels == 0 {
        let (found, low, high) = (spec.sample_rate, RATES.start(), RATES.end());
        return Err(Failure::with(
            path.display(),
            format_args!("{channels} channels at {found} Hz; rates from {low} to {high} Hz are supported"),
        ));
    }
    let step = f64::from(spec.sample_rate) / f64::from(rate);
    let given = (f64::from(reader.duration()) / step) as usize;
    // The filter reaches beyond the last sample.
    let frames = (count as f64 * step + LOBES * step.max(1.0)).ceil() as usize;
    let most = frames.saturating_mul(channels);
    let samples: Vec<f32> = match spec.sample_format {
        SampleFormat::Float => reader.into_samples::<f32>().take(most).collect::<Result<_, _>>(),
        SampleFormat::Int => {
            let full = (1u64 << (spec.bits_per_sample.clamp(1, 32) - 1)) as f32;
            let samples = reader.into_samples::<i32>().take(most);
            samples.map(|sample| sample.map(|value| value as f32 / full)).collect::<Result<_, _>>()
        }
    }
    .map_err(failed)?;
    let mono = samples.chunks_exact(channels).map(|frame| frame.iter().sum::<f32>() / channels as f32);
    let mut samples = resample(&mono.collect::<Vec<_>>(), spec.sample_rate, rate);
    samples.truncate(count);
    Ok(Clip { samples, given, rate: spec.sample_rate })
}

/// Band-limited interpolation with a sinc under a Hann window, whose cutoff is half the lower rate (J. O. Smith,
/// "Digital Audio Resampling", <https://ccrma.stanford.edu/~jos/resample/>).
fn resample(samples: &[f32], from: u32, to: u32) -> Vec<f32> {
    if from == to {
        return samples.to_vec();
    }
    let step = f64::from(from) / f64::from(to);
    let cutoff = (1.0 / step).min(1.0);
    let reach = LOBES / cutoff;
    let count = (samples.len() as f64 / step) as usize;
    let value = |i: usize| {
        let center = i as f64 * step;
        let first = (center - reach).ceil().max(0.0) as usize;
        let last = (center + reach).floor().max(0.0) as usize;
        let near = samples.iter().enumerate().take(last + 1).skip(first);
        let sum: f64 =
            near.map(|(k, &sample)| f64::from(sample) * kernel(k as f64 - center, cutoff, reach)).sum();
        sum as f32
    };
    (0..count).map(value).collect()
}

fn kernel(x: f64, cutoff: f64, reach: f64) -> f64 {
    let sinc = if x == 0.0 { 1.0 } else { (PI * cutoff * x).sin() / (PI * cutoff * x) };
    cutoff * sinc * 0.5 * (1.0 + (PI * x / reach).cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(hertz: f64, rate: u32, count: usize) -> Vec<f32> {
        (0..count).map(|i| (2.0 * PI * hertz * i as f64 / f64::from(rate)).sin() as f32).collect()
    }

    #[test]
    fn a_tone_stays_the_same_tone() {
        for (from, to) in [(44_100, 16_000), (8_000, 16_000), (48_000, 16_000)] {
            let found = resample(&tone(440.0, from, from as usize / 4), from, to);
            assert_eq!(found.len(), to as usize / 4);
            let expected = tone(440.0, to, found.len());
            // The filter needs samples on both sides.
            let inner = 200..found.len() - 200;
            let worst = inner.map(|i| (found[i] - expected[i]).abs()).fold(0.0, f32::max);
            assert!(worst < 0.01, "{from} to {to}: {worst}");
        }
    }

    #[test]
    fn what_the_lower_rate_cannot_hold_is_removed() {
        let found = resample(&tone(15_000.0, 44_100, 44_100), 44_100, 16_000);
        let loudest = found[500..15_000].iter().fold(0.0f32, |most, sample| most.max(sample.abs()));
        assert!(loudest < 0.01, "{loudest}");
    }
}
