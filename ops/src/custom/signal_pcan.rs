//! SignalPCAN: multiplies each channel by a gain that falls with its noise, then compresses it. u32, table i16.
//! Defined by: tflite-micro's signal/micro/kernels/pcan.cc, signal/src/pcan_argc_fixed.cc.
//!
//! ```text
//! gain(noise): a parabola between powers of two, three numbers of the table each
//! snr = x × gain >> snr_shift, 12 bits after the point      y = snr² / 4 below 2, else snr − 1, 6 bits after the point
//! ```

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::signal::{self, expect_list, most_significant_bit};

plain! {
    /// A prepared `SignalPCAN` node: the number of bits by which the product is shifted right.
    pub struct SignalPcan(u32);
}

impl Op for SignalPcan {
    const CODE: OpCode = OpCode::Custom("SignalPCAN");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[U32, I16]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let shift = signal::option_in(&CustomOptions::of(node), "snr_shift", 0..=63)?;
        let (x, noise) = (node.input(0)?, node.input(1)?);
        let (channels, estimates) = (expect_list(&x, U32)?, expect_list(&noise, U32)?);
        ensure!(
            channels == estimates,
            "{x} has {channels} channels, {noise} estimates the noise of {estimates}; they must agree"
        );
        expect_list(&node.input(2)?, I16)?;
        signal::expect(&node.output(0)?, U32)?;
        cx.set_output_shape(0, x.shape)?;
        Ok(SignalPcan(shift as u32))
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, noise) = (cx.input_slice::<u32>(0)?, cx.input_slice::<u32>(1)?);
        let (table, y) = (cx.input_slice::<i16>(2)?, cx.output_slice::<u32>(0)?);
        for ((y, &x), &noise) in y.iter_mut().zip(x).zip(noise) {
            let gain = gain(noise, table).ok_or_else(|| {
                invalid!(
                    "the table of gains has {} numbers, which is too few for a noise of {noise}",
                    table.len()
                )
            })?;
            // A negative gain is reinterpreted as unsigned.
            let snr = u64::from(x).wrapping_mul(u64::from(i32::from(gain) as u32)) >> self.0;
            *y = shrunk(snr as u32);
        }
        Ok(())
    }
}

fn gain(noise: u32, table: &[i16]) -> Option<i16> {
    if noise <= 2 {
        return table.get(noise as usize).copied();
    }
    let interval = most_significant_bit(noise);
    let first = 4 * interval as usize - 6;
    let &[start, slope, bend] = table.get(first..first + 3)?.as_array()?;
    let [start, slope, bend] = [start, slope, bend].map(i32::from);
    let position = if interval < 11 { noise << (11 - interval) } else { noise >> (interval - 11) };
    let position = (position & 0x3ff) as i32;
    let rise = ((bend * position) >> 5).wrapping_add(slope << 5).wrapping_mul(position);
    Some((rise.wrapping_add(1 << 14) >> 15).wrapping_add(start) as i16)
}

fn shrunk(snr: u32) -> u32 {
    if snr < 2 << 12 { (snr * snr) >> 20 } else { (snr >> 6) - (1 << 6) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(x: &[u32], noise: &[u32], table: &[i16], shift: i64) -> OpTest<SignalPcan> {
        let test = OpTest::new().flexbuffer(|o| o.int("snr_shift", shift));
        let test =
            test.input(Tensor::of(&[x.len() as i32], x)).input(Tensor::of(&[noise.len() as i32], noise));
        test.constant(Tensor::i16(&[table.len() as i32], table)).output(Spec::of(U32))
    }

    /// A noise of 3 is in the middle of 2 .. 4, whose three numbers start at index 2 of the table; 4096 is the start of
    /// the thirteenth interval.
    #[test]
    fn gains_and_compression() {
        let mut table = vec![0i16; 60];
        table[..5].copy_from_slice(&[100, 200, 300, 64, -32]);
        table[46] = 77;
        // (−32 × 512 >> 5) + 64 × 32 = 1536; × 512 / 2¹⁵ = 24.
        assert_eq!([0, 1, 2, 3, 4096].map(|noise| gain(noise, &table)), [100, 200, 300, 324, 77].map(Some));
        assert_eq!([0, 4096, 8191, 8192, 1 << 20].map(shrunk), [0, 16, 63, 64, (1 << 14) - 64]);
        let y = test(&[1 << 10, 2 << 10, 40], &[0, 4096, 3], &table, 4).run().unwrap();
        // 6400² / 2²⁰, 9856 / 64 − 64, 810² / 2²⁰.
        assert_eq!(y[0].elements::<u32>(), [39, 90, 0]);
    }
}
