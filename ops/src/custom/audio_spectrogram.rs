//! AudioSpectrogram: the energy of each frequency in windows of a signal, `[samples, channels]` to `[channels, windows,
//! frequencies]`. f32.
//! Defined by: tflite/kernels/audio_spectrogram.cc, tflite/kernels/internal/spectrogram.cc.
//!
//! ```text
//! window r: samples r × stride .. + window_size, × ½ − ½ cos(2π t / window_size), then zeros up to a power of two
//! y = |FFT|², or its square root
//! ```

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::fft::{Direction, RealFft};
use crate::kit::float;
use crate::kit::pace::Pace;

plain! {
    /// A prepared `AudioSpectrogram` node.
    pub struct AudioSpectrogram {
        stride: usize,
        squared: bool,
        windows: usize,
        frequencies: usize,
        /// The transform and its scratch memory; `None` if there are no windows.
        transform: Maybe<Transform>,
    }
}

plain! {
    struct Transform {
        fft: RealFft<f64>,
        weights: Table<f64>,
        samples: Scratch<f64>,
        spectrum: Scratch<f64>,
    }
}

impl Op for AudioSpectrogram {
    const CODE: OpCode = OpCode::Custom("AudioSpectrogram");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, _) = node.unary()?;
        let options = CustomOptions::of(node);
        let (size, stride) = (options.i32("window_size")?, options.i32("stride")?);
        ensure!((2..=1 << 30).contains(&size), "option 'window_size' is {size}; it must be 2 to 2³⁰");
        ensure!(stride >= 1, "option 'stride' is {stride}; it must be at least 1");
        let squared = options.flag("magnitude_squared")?;
        let &[samples, channels] = x.shape else {
            return Err(invalid!("{x} is {:?}; it must be [samples, channels]", x.shape));
        };
        let windows = if samples < size { 0 } else { 1 + (samples - size) / stride };
        let length = (size as u32).next_power_of_two() as i32;
        let frequencies = 1 + length / 2;
        cx.set_output_shape(0, &[channels, windows, frequencies])?;
        let transform = match channels > 0 && windows > 0 {
            true => Some(Transform::new(cx, size as usize, length)?),
            false => None,
        };
        Ok(AudioSpectrogram {
            stride: stride as usize,
            squared,
            windows: windows as usize,
            frequencies: frequencies as usize,
            transform: transform.into(),
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let Some(transform) = self.transform.as_ref() else { return Ok(()) };
        let (x, y) = (cx.input(0)?, cx.output_slice::<f32>(0)?);
        let (channels, x) = (x.shape[1] as usize, x.as_slice::<f32>()?);
        let mut fft = transform.fft.begin(cx)?;
        let weights = cx.table(&transform.weights)?;
        let (samples, spectrum) = (cx.scratch(&transform.samples)?, cx.scratch(&transform.spectrum)?);
        samples.fill(0.0);
        let mut pace = Pace::new(cx);
        for (i, y) in y.chunks_exact_mut(self.frequencies).enumerate() {
            pace.ahead(transform.fft.work())?;
            let (channel, first) = (i / self.windows, i % self.windows * self.stride);
            for (t, (sample, weight)) in samples.iter_mut().zip(weights).enumerate() {
                *sample = f64::from(x[(first + t) * channels + channel]) * weight;
            }
            fft.forward(samples, spectrum);
            for (y, [re, im]) in y.iter_mut().zip(spectrum.as_chunks().0) {
                let energy = (re * re + im * im) as f32;
                *y = if self.squared { energy } else { float::sqrt(energy) };
            }
        }
        Ok(())
    }
}

impl Transform {
    fn new(cx: &mut PrepareContext<'_>, size: usize, length: i32) -> Result<Self> {
        let angle = |t: usize| 2.0 * core::f64::consts::PI * t as f64 / size as f64;
        Ok(Transform {
            fft: RealFft::prepare(cx, length, Direction::Forward)?,
            weights: cx.table(size, |t| 0.5 - 0.5 * libm::cos(angle(t)))?,
            samples: cx.scratch(length as usize)?,
            spectrum: cx.scratch(length as usize + 2)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(x: Tensor, size: i64, stride: i64, squared: bool) -> OpTest<AudioSpectrogram> {
        let test = OpTest::new().flexbuffer(|o| {
            o.int("window_size", size).int("stride", stride).bool("magnitude_squared", squared)
        });
        test.input(x).output(Spec::f32())
    }

    /// Windows of 4 have the weights 0, ½, 1, ½.
    #[test]
    fn energies_of_two_channels() {
        let left = [9.0, 1.0, 2.0, 3.0, 1.0, 5.0, 0.0];
        let x: Vec<f32> = left.iter().flat_map(|&x| [x, -2.0 * x]).collect();
        let y = test(Tensor::f32(&[7, 2], &x), 4, 3, true).run().unwrap();
        assert_eq!(y[0].shape(), [2, 2, 3]);
        // 0, ½, 2, 1½ give the energies 4², (−2)² + 1² and 0. 3, 1, 5, 0 become 0, ½, 5, 0, which give 5½², 5² + ½² and
        // 4½².
        let want = [16.0, 5.0, 0.0, 30.25, 25.25, 20.25];
        let all = y[0].as_f32();
        all.iter().zip(want.iter().chain(&want.map(|x| 4.0 * x))).for_each(|(y, want)| {
            assert!((y - want).abs() < 1e-5, "{all:?}");
        });
        let y = test(Tensor::f32(&[7, 2], &x), 4, 3, false).run().unwrap()[0].as_f32();
        assert!(all.iter().zip(&y).all(|(all, y)| (all.sqrt() - y).abs() < 1e-6));
    }

    /// A sine of 3 periods in a window of 24, padded to 32, is compared with the sum that defines the transform.
    #[test]
    fn windows_are_padded_with_zeros() {
        let x: Vec<f32> = (0..24).map(|t| (t as f32 * 0.785).sin()).collect();
        let y = test(Tensor::f32(&[24, 1], &x), 24, 1, true).run().unwrap();
        assert_eq!(y[0].shape(), [1, 1, 17]);
        for (k, y) in y[0].as_f32().into_iter().enumerate() {
            let sum = |f: fn(f64) -> f64| -> f64 {
                let angle = core::f64::consts::TAU / 32.0 * k as f64;
                let weight = |t: f64| 0.5 - 0.5 * (core::f64::consts::TAU * t / 24.0).cos();
                x.iter()
                    .zip(0..)
                    .map(|(&x, t)| f64::from(x) * weight(t.into()) * f(angle * f64::from(t)))
                    .sum()
            };
            let want = sum(f64::sin).powi(2) + sum(f64::cos).powi(2);
            assert!((f64::from(y) - want).abs() < 1e-6 * want.max(1.0), "{k}: {y} {want}");
        }
    }

    #[test]
    fn short_signals_have_no_windows() {
        let y = test(Tensor::f32(&[3, 2], &[0.0; 6]), 5, 1, true).run().unwrap();
        assert_eq!(y[0].shape(), [2, 0, 5]);
    }
}
