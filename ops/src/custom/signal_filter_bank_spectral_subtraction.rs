//! SignalFilterBankSpectralSubtraction: subtracts a running estimate of the noise from each channel; the second output
//! is the estimate. u32.
//! Defined by: tflite-micro's signal/micro/kernels/filter_bank_spectral_subtraction.cc,
//! signal/src/filter_bank_spectral_subtraction.cc.
//!
//! ```text
//! noise ← (x 2^s × smoothing + noise × one_minus_smoothing) / 2^b      odd channels: the alternate ones
//! y = max((x 2^s − noise) / 2^s, x × min_signal_remaining / 2^b)       s smoothing_bits, b spectral_subtraction_bits
//! ```

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::signal::{self, expect_list};

plain! {
    /// A prepared `SignalFilterBankSpectralSubtraction` node.
    pub struct SignalFilterBankSpectralSubtraction {
        /// For even and for odd channels: the smoothing factor and its complement to one.
        smoothing: [[u32; 2]; 2],
        remaining: u32,
        smoothing_bits: u32,
        bits: u32,
        clamping: bool,
        noise: State<u32>,
    }
}

impl Op for SignalFilterBankSpectralSubtraction {
    const CODE: OpCode = OpCode::Custom("SignalFilterBankSpectralSubtraction");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[U32]);
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=1, 2..=2)?;
        let options = CustomOptions::of(node);
        let number = |key: &str| options.i32(key).map(|value| value as u32);
        let alternate = [number("alternate_smoothing")?, number("alternate_one_minus_smoothing")?];
        let smoothing = [number("smoothing")?, number("one_minus_smoothing")?];
        let remaining = number("min_signal_remaining")?;
        let smoothing_bits = signal::option_in(&options, "smoothing_bits", 0..=31)? as u32;
        let bits = signal::option_in(&options, "spectral_subtraction_bits", 0..=63)? as u32;
        let clamping = options.flag("clamping")?;
        let (x, channels) = (node.input(0)?, options.i32("num_channels")?);
        let count = expect_list(&x, U32)?;
        ensure!(
            usize::try_from(channels) == Ok(count),
            "{x} has {count} elements, option 'num_channels' is {channels}; they must agree"
        );
        for output in 0..2 {
            signal::expect(&node.output(output)?, U32)?;
            cx.set_output_shape(output, x.shape)?;
        }
        let noise = cx.state(count, |_| 0)?;
        let smoothing = [smoothing, alternate];
        Ok(SignalFilterBankSpectralSubtraction {
            smoothing,
            remaining,
            smoothing_bits,
            bits,
            clamping,
            noise,
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_slice::<u32>(0)?, cx.output_slice::<u32>(0)?);
        let (estimates, noise) = (cx.output_slice::<u32>(1)?, cx.state(&self.noise)?);
        for (i, (&x, noise)) in x.iter().zip(noise).enumerate() {
            let [smoothing, rest] = self.smoothing[i % 2].map(u64::from);
            let signal = x << self.smoothing_bits;
            let smoothed = u64::from(signal) * smoothing;
            let estimate = (smoothed.wrapping_add(u64::from(noise.get()) * rest) >> self.bits) as u32;
            let subtracted = estimate.min(signal);
            noise.set(if self.clamping { subtracted } else { estimate });
            let floor = ((u64::from(x) * u64::from(self.remaining)) >> self.bits) as u32;
            y[i] = ((signal - subtracted) >> self.smoothing_bits).max(floor);
            estimates[i] = noise.get();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{FlexBuilder, OpTest, Spec, Tensor};

    fn options(o: FlexBuilder) -> FlexBuilder {
        let o = o.int("num_channels", 2).int("smoothing", 4).int("one_minus_smoothing", 12);
        let o = o.int("alternate_smoothing", 8).int("alternate_one_minus_smoothing", 8);
        let o = o.int("min_signal_remaining", 1).int("smoothing_bits", 2);
        o.int("spectral_subtraction_bits", 4).bool("clamping", false)
    }

    fn test(change: impl FnOnce(FlexBuilder) -> FlexBuilder) -> OpTest<SignalFilterBankSpectralSubtraction> {
        let test = OpTest::new().flexbuffer(|o| change(options(o))).input(Tensor::of(&[2], &[0u32, 0]));
        test.output(Spec::of(U32)).output(Spec::of(U32))
    }

    #[test]
    fn noise_persists_between_invocations() {
        let x = |x: [u32; 2]| [Tensor::of(&[2], &x)];
        let run = |change: &dyn Fn(FlexBuilder) -> FlexBuilder| -> Vec<[Vec<u32>; 2]> {
            let steps = test(change).run_steps(&[&x([100, 100]), &x([100, 10]), &x([16, 0])]).unwrap();
            steps.iter().map(|y| [y[0].elements(), y[1].elements()]).collect()
        };
        // 400 × 4 / 16 = 100, 400 × 8 / 16 = 200; then (400 × 4 + 100 × 12) / 16 = 175, (40 × 8 + 200 × 8) / 16 = 120,
        // of which 40 are subtracted; (64 × 4 + 175 × 12) / 16 = 147, 120 / 2 = 60.
        let want =
            [[vec![75, 50], vec![100, 200]], [vec![56, 0], vec![175, 120]], [vec![1, 0], vec![147, 60]]];
        assert_eq!(run(&|o| o), want);
        // The noise is clamped to the signal: to 40, then to 64 and 0.
        let want = [[vec![75, 50], vec![100, 200]], [vec![56, 0], vec![175, 40]], [vec![1, 0], vec![64, 0]]];
        assert_eq!(run(&|o| o.bool("clamping", true)), want);
    }
}
