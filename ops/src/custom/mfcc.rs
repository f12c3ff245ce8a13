//! Mfcc: mel-frequency cepstral coefficients of a spectrogram of squared magnitudes, `[channels, windows,
//! frequencies]`, with the sample rate in the second input. f32.
//! Defined by: tflite/kernels/mfcc.cc, tflite/kernels/internal/{mfcc,mfcc_mel_filterbank,mfcc_dct}.cc.
//!
//! ```text
//! mel(f) = 1127 ln(1 + f / 700)
//! bands:  /\  /\     a triangle each, between the centers of its neighbors, evenly spaced in mel
//!        /  \/  \
//! y = DCT(ln(Σ over a band of √energy × weight))
//! ```

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::pace::Pace;

/// The least energy of a band, so that the logarithm is finite.
const FLOOR: f64 = 1e-12;

plain! {
    /// A prepared `Mfcc` node.
    pub struct Mfcc {
        lower: f64,
        upper: f64,
        bands: usize,
        coefficients: usize,
        centres: Scratch<f64>,
        band_of: Scratch<i32>,
        weights: Scratch<f64>,
        energies: Scratch<f64>,
        cosines: Scratch<f64>,
    }
}

impl Op for Mfcc {
    const CODE: OpCode = OpCode::Custom("Mfcc");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, rate, y) = node.binary()?;
        let options = CustomOptions::of(node);
        let upper = options.i64("upper_frequency_limit")? as f32;
        let lower = options.i64("lower_frequency_limit")? as f32;
        let bands = options.i32("filterbank_channel_count")?;
        let coefficients = options.i32("dct_coefficient_count")?;
        ensure!(x.ty == F32 && y.ty == F32, "input is {}, output is {}; both must be FLOAT32", x.ty, y.ty);
        ensure!(
            rate.ty == I32 && rate.len() == 1,
            "sample rate {rate} is {}{:?}; it must be one INT32",
            rate.ty,
            rate.shape
        );
        let &[channels, windows, frequencies] = x.shape else {
            return Err(invalid!("{x} is {:?}; it must be [channels, windows, frequencies]", x.shape));
        };
        ensure!(frequencies >= 2, "{x} has {frequencies} frequencies; at least 2 are needed");
        ensure!(
            0.0 <= lower && lower < upper,
            "the frequencies go from 'lower_frequency_limit' {lower} to 'upper_frequency_limit' {upper}"
        );
        ensure!(
            1 <= coefficients && coefficients <= bands,
            "option 'dct_coefficient_count' is {coefficients}, 'filterbank_channel_count' {bands}; \
             there must be at least one coefficient and as many channels"
        );
        cx.set_output_shape(0, &[channels, windows, coefficients])?;
        let (bands, coefficients, frequencies) =
            (bands as usize, coefficients as usize, frequencies as usize);
        Ok(Mfcc {
            lower: lower.into(),
            upper: upper.into(),
            bands,
            coefficients,
            centres: cx.scratch(bands + 1)?,
            band_of: cx.scratch(frequencies)?,
            weights: cx.scratch(frequencies)?,
            energies: cx.scratch(bands)?,
            cosines: cx.scratch(bands.saturating_mul(coefficients))?,
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input(0)?, cx.output_slice::<f32>(0)?);
        let (frequencies, x) = (x.shape[2] as usize, x.as_slice::<f32>()?);
        let rate = cx.input_slice::<i32>(1)?[0];
        ensure!(rate > 0, "the sample rate is {rate}; it must be above 0");
        let mut pace = Pace::new(cx);
        let bank = self.filter_bank(cx, rate, frequencies)?;
        let cosines = cx.scratch(&self.cosines)?;
        self.fill_cosines(&mut pace, cosines)?;
        let energies = cx.scratch(&self.energies)?;
        for (x, y) in x.chunks_exact(frequencies).zip(y.chunks_exact_mut(self.coefficients)) {
            pace.ahead(frequencies + cosines.len())?;
            if bank.last >= frequencies {
                y.fill(0.0);
                continue;
            }
            bank.energies(x, energies);
            energies.iter_mut().for_each(|e| *e = libm::log(if *e < FLOOR { FLOOR } else { *e }));
            for (y, cosines) in y.iter_mut().zip(cosines.chunks_exact(self.bands)) {
                *y = cosines.iter().zip(&*energies).fold(0.0, |sum, (c, e)| sum + c * e) as f32;
            }
        }
        Ok(())
    }
}

/// Maps frequencies to bands.
struct FilterBank<'a> {
    /// The band that has a frequency on the right side of its triangle; the next band has it on the left side.
    band_of: &'a [i32],
    /// The fraction that goes to the band on the right side.
    weights: &'a [f64],
    first: usize,
    /// The last frequency that counts, inclusive. If it is beyond the spectrum, nothing is counted.
    last: usize,
}

impl Mfcc {
    fn filter_bank<'a>(&self, cx: &EvalContext<'a>, rate: i32, frequencies: usize) -> Result<FilterBank<'a>> {
        let (centres, band_of) = (cx.scratch(&self.centres)?, cx.scratch(&self.band_of)?);
        let weights = cx.scratch(&self.weights)?;
        let lowest = mel(self.lower);
        let spacing = (mel(self.upper) - lowest) / (self.bands as f64 + 1.0);
        for (i, centre) in centres.iter_mut().enumerate() {
            *centre = lowest + spacing * (i as f64 + 1.0);
        }
        let hertz = 0.5 * f64::from(rate) / (frequencies as f64 - 1.0);
        // The constant component is never counted.
        let first = (1.5 + self.lower / hertz) as usize;
        let last = (self.upper / hertz) as usize;
        let mut above = 0;
        for (i, (band, weight)) in band_of.iter_mut().zip(weights.iter_mut()).enumerate() {
            if i < first || i > last {
                (*band, *weight) = (-2, 0.0);
                continue;
            }
            let here = mel(i as f64 * hertz);
            while above < self.bands && centres[above] < here {
                above += 1;
            }
            let below = if above == 0 { lowest } else { centres[above - 1] };
            (*band, *weight) = (above as i32 - 1, (centres[above] - here) / (centres[above] - below));
        }
        Ok(FilterBank { band_of, weights, first, last })
    }

    fn fill_cosines(&self, pace: &mut Pace<'_, '_>, cosines: &mut [f64]) -> Result<()> {
        let scale = libm::sqrt(2.0 / self.bands as f64);
        let angle = core::f64::consts::PI / self.bands as f64;
        for (i, row) in cosines.chunks_exact_mut(self.bands).enumerate() {
            pace.ahead(32 * self.bands)?;
            for (j, cosine) in row.iter_mut().enumerate() {
                *cosine = scale * libm::cos(i as f64 * angle * (j as f64 + 0.5));
            }
        }
        Ok(())
    }
}

impl FilterBank<'_> {
    fn energies(&self, x: &[f32], energies: &mut [f64]) {
        energies.fill(0.0);
        for (i, &x) in x.iter().enumerate().take(self.last + 1).skip(self.first) {
            let magnitude = libm::sqrt(x.into());
            let weighted = magnitude * self.weights[i];
            let band = self.band_of[i];
            if let Ok(right) = usize::try_from(band) {
                energies[right] += weighted;
            }
            if let Some(left) = energies.get_mut((band + 1) as usize) {
                *left += magnitude - weighted;
            }
        }
    }
}

fn mel(frequency: f64) -> f64 {
    1127.0 * libm::log1p(frequency / 700.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{FlexBuilder, OpTest, Spec, Tensor};

    fn options(o: FlexBuilder) -> FlexBuilder {
        let o = o.int("upper_frequency_limit", 4000).int("lower_frequency_limit", 0);
        o.int("filterbank_channel_count", 2).int("dct_coefficient_count", 2)
    }

    fn test(x: &[f32], rate: i32, change: impl FnOnce(FlexBuilder) -> FlexBuilder) -> OpTest<Mfcc> {
        let test = OpTest::new().flexbuffer(|o| change(options(o)));
        let test = test.input(Tensor::f32(&[1, 1, x.len() as i32], x));
        test.input(Tensor::i32(&[1], &[rate])).output(Spec::f32())
    }

    /// The frequencies are 0, 1000, ... 4000. The mel value of 4000 is 2146.06, so the centers are at 715.35 and
    /// 1430.71; 1000 is 999.99 mel, 2000 is 1521.36, 3000 is 1876.37.
    #[test]
    fn two_bands() {
        let y = test(&[100.0, 4.0, 9.0, 16.0, 25.0], 8000, |o| o).run().unwrap();
        let right = |mel: f64, centre: f64| (centre - mel) / 715.354;
        let low = 2.0 * right(999.9855, 1430.708);
        let high = 2.0 - low + 3.0 * right(1521.359, 2146.064) + 4.0 * right(1876.343, 2146.064);
        let (low, high) = (low.ln(), high.ln());
        // The cosines of π/4 and 3π/4 are ± √½.
        let want = [low + high, (low - high) * core::f64::consts::FRAC_1_SQRT_2];
        let y = y[0].as_f32();
        assert!(y.iter().zip(want).all(|(&y, want)| (f64::from(y) - want).abs() < 1e-3), "{y:?} {want:?}");
    }

    #[test]
    fn empty_bands_give_the_floor() {
        let y = test(&[0.0; 5], 8000, |o| o.int("dct_coefficient_count", 1)).run().unwrap();
        assert!((y[0].as_f32()[0] - 2.0 * 1e-12f32.ln()).abs() < 1e-4);
    }

    #[test]
    fn short_spectra_give_zeros() {
        assert_eq!(test(&[1.0; 5], 1000, |o| o).run().unwrap()[0].as_f32(), [0.0, 0.0]);
    }
}
