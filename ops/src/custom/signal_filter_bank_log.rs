//! SignalFilterBankLog: `y = ln(x × 2^input_correction_bits) × output_scale`, at most 32767; 0 where the argument is 0
//! or 1. u32 to i16. Defined by: tflite-micro's signal/micro/kernels/filter_bank_log.cc,
//! signal/src/{filter_bank_log,log}.cc.

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::signal::{self, expect_list};

/// The number of segments of the table.
const SEGMENTS: usize = 128;
/// `ln 2` with 16 fraction bits.
const LN_2: u64 = 45426;

plain! {
    /// A prepared `SignalFilterBankLog` node.
    pub struct SignalFilterBankLog {
        bits: u32,
        scale: u32,
        /// `log₂(1 + f) − f` for `f` in 128 steps from 0 to 1, with 16 fraction bits.
        table: Table<i32>,
    }
}

impl Op for SignalFilterBankLog {
    const CODE: OpCode = OpCode::Custom("SignalFilterBankLog");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[U32, I16]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        let options = CustomOptions::of(node);
        let bits = signal::option_in(&options, "input_correction_bits", 0..=31)? as u32;
        let scale = options.i32("output_scale")? as u32;
        expect_list(&x, U32)?;
        signal::expect(&y, I16)?;
        cx.set_output_shape(0, x.shape)?;
        let table = cx.table(SEGMENTS + 1, |i| {
            let f = i as f64 / SEGMENTS as f64;
            libm::round((libm::log2(1.0 + f) - f) * 65536.0) as i32
        })?;
        Ok(SignalFilterBankLog { bits, scale, table })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_slice::<u32>(0)?, cx.output_slice::<i16>(0)?);
        let table = cx.table(&self.table)?;
        for (y, &x) in y.iter_mut().zip(x) {
            *y = match x << self.bits {
                0 | 1 => 0,
                x => self.log(table, x).min(i16::MAX as u32) as i16,
            };
        }
        Ok(())
    }
}

impl SignalFilterBankLog {
    fn log(&self, table: &[i32], x: u32) -> u32 {
        let whole = x.ilog2();
        let rest = u64::from(x) - (1 << whole);
        let fraction = if whole < 16 { rest << (16 - whole) } else { rest >> (whole - 16) } as i32;
        let segment = (fraction >> 9) as usize;
        let (from, to) = (table[segment], table[segment + 1]);
        let bent = fraction + from + (((to - from) * (fraction - (segment as i32) * 512)) >> 16);
        let log_2 = (whole << 16) + bent as u32;
        let log = ((LN_2 * u64::from(log_2) + (1 << 15)) >> 16) as u32;
        self.scale.wrapping_mul(log).wrapping_add(1 << 15) >> 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(x: &[u32], bits: i64, scale: i64) -> OpTest<SignalFilterBankLog> {
        let test =
            OpTest::new().flexbuffer(|o| o.int("input_correction_bits", bits).int("output_scale", scale));
        test.input(Tensor::of(&[x.len() as i32], x)).output(Spec::of(I16))
    }

    #[test]
    fn natural_logarithms() {
        let x = [0, 1, 2, 3, 10, 1000, 65535, 65536, 1 << 31, u32::MAX];
        let y = test(&x, 0, 1400).run().unwrap()[0].as_i16();
        for (&x, &y) in x.iter().zip(&y).skip(1) {
            assert!((f64::from(y) - f64::from(x).ln() * 1400.0).abs() < 4.0, "{x}: {y}");
        }
        assert_eq!(y[0], 0);
        assert_eq!(
            test(&[5], 3, 100).run().unwrap()[0].as_i16(),
            test(&[40], 0, 100).run().unwrap()[0].as_i16()
        );
        assert_eq!(test(&[u32::MAX], 0, 2000).run().unwrap()[0].as_i16(), [32767]);
        // Bits that are shifted out are lost.
        assert_eq!(test(&[1 << 31], 1, 2000).run().unwrap()[0].as_i16(), [0]);
    }
}
