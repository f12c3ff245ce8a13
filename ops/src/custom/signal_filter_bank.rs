//! SignalFilterBank: sums a spectrum into overlapping channels; each frequency counts with `weights` in one channel and
//! with `unweights` in the next. u32 to u64, weights i16.
//! Defined by: tflite-micro's signal/micro/kernels/filter_bank.cc, signal/src/filter_bank.cc.
//!
//! ```text
//! y[c] = Σ_j unweights[w(c) + j] x[f(c) + j] + Σ_j weights[w(c + 1) + j] x[f(c + 1) + j]
//! f, w: the first frequency and the first weight of a channel; j < its width
//! ```

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::pace::Pace;
use crate::kit::signal::{self, expect_list};

plain! {
    /// A prepared `SignalFilterBank` node.
    pub struct SignalFilterBank;
}

impl Op for SignalFilterBank {
    const CODE: OpCode = OpCode::Custom("SignalFilterBank");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[U32, I16, U64]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(6..=6, 1..=1)?;
        let channels = signal::option_in(&CustomOptions::of(node), "num_channels", 0..=i32::MAX - 1)?;
        expect_list(&node.input(0)?, U32)?;
        for i in 1..6 {
            expect_list(&node.input(i)?, I16)?;
        }
        for i in 3..6 {
            let starts = node.input(i)?;
            ensure!(
                starts.len() > channels as usize,
                "{starts} has {} elements; {channels} channels need one more",
                starts.len()
            );
        }
        signal::expect(&node.output(0)?, U64)?;
        cx.set_output_shape(0, &[channels])?;
        Ok(SignalFilterBank)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input_slice::<u32>(0)?;
        let list = |i| cx.input_slice::<i16>(i);
        let (weights, unweights) = (list(1)?, list(2)?);
        let (frequencies, firsts, widths) = (list(3)?, list(4)?, list(5)?);
        let y = cx.output_slice::<u64>(0)?;
        let (mut pace, mut carried) = (Pace::new(cx), 0);
        for c in 0..=y.len() {
            let width = usize::try_from(widths[c]).unwrap_or(0);
            pace.ahead(2 * width)?;
            let x = part(x, frequencies[c], width, c, "the spectrum")?;
            let weighted = sum(x, part(weights, firsts[c], width, c, "the weights")?);
            let unweighted = sum(x, part(unweights, firsts[c], width, c, "the unweights")?);
            // The weighted sum of the first channel is dropped.
            if let Some(before) = c.checked_sub(1) {
                y[before] = weighted.wrapping_add(carried);
            }
            carried = unweighted;
        }
        Ok(())
    }
}

fn part<'a, T>(x: &'a [T], first: i16, width: usize, c: usize, what: &str) -> Result<&'a [T]> {
    if width == 0 {
        return Ok(&[]);
    }
    let first_index = usize::try_from(first).ok();
    first_index.and_then(|first| x.get(first..)?.get(..width)).ok_or_else(|| {
        invalid!("channel {c} reads {width} elements of {what} from {first}; there are {}", x.len())
    })
}

fn sum(x: &[u32], weights: &[i16]) -> u64 {
    let product = |(&x, &weight): (&u32, &i16)| (weight as u64).wrapping_mul(x.into());
    x.iter().zip(weights).map(product).fold(0, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(channels: i64, frequencies: &[i16], firsts: &[i16], widths: &[i16]) -> OpTest<SignalFilterBank> {
        let list = |x: &[i16]| Tensor::i16(&[x.len() as i32], x);
        let test = OpTest::new().flexbuffer(|o| o.int("num_channels", channels));
        let test = test.input(Tensor::of(&[6], &[1u32, 2, 3, 4, 5, u32::MAX]));
        let test = test.constant(list(&[10, 20, 30, 40])).constant(list(&[1, 2, 3, 4]));
        let test = test.constant(list(frequencies)).constant(list(firsts)).constant(list(widths));
        test.output(Spec::of(U64))
    }

    #[test]
    fn channels_overlap() {
        let y = test(2, &[0, 2, 4], &[0, 1, 3], &[2, 2, 1]).run().unwrap();
        // The weighted sums are 50, 3 × 20 + 4 × 30 = 180 and 200, the unweighted ones 5, 3 × 2 + 4 × 3 = 18 and 20.
        assert_eq!(y[0].elements::<u64>(), [180 + 5, 200 + 18]);
        let y = test(1, &[0, 5], &[0, 3], &[0, 1]).run().unwrap();
        assert_eq!(y[0].elements::<u64>(), [40 * u64::from(u32::MAX)]);
        assert_eq!(test(0, &[0], &[0], &[-1]).run().unwrap()[0].elements::<u64>(), []);
    }
}
