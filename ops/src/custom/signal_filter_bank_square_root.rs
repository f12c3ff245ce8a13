//! SignalFilterBankSquareRoot: `y = round(√x) >> scale_bits`; the second input holds `scale_bits`. u64 to u32.
//! Defined by: tflite-micro's signal/micro/kernels/filter_bank_square_root{,_common}.cc,
//! signal/src/{filter_bank_square_root,square_root_32,square_root_64}.cc.

use arenite_abi::prelude::*;

use crate::kit::signal::{self, expect_list};

plain! {
    /// A prepared `SignalFilterBankSquareRoot` node, which has no state.
    pub struct SignalFilterBankSquareRoot;
}

impl Op for SignalFilterBankSquareRoot {
    const CODE: OpCode = OpCode::Custom("SignalFilterBankSquareRoot");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[U64, I32, U32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, bits, y) = node.binary()?;
        expect_list(&x, U64)?;
        signal::expect(&bits, I32)?;
        ensure!(bits.rank() == 0, "{bits} is {:?}; it must be one number", bits.shape);
        signal::expect(&y, U32)?;
        cx.set_output_shape(0, x.shape)?;
        Ok(SignalFilterBankSquareRoot)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, bits) = (cx.input_slice::<u64>(0)?, cx.input_slice::<i32>(1)?[0]);
        ensure!((0..32).contains(&bits), "the shift of the roots is {bits} bits; it must be 0 to 31");
        for (y, &x) in cx.output_slice::<u32>(0)?.iter_mut().zip(x) {
            *y = root(x) >> bits;
        }
        Ok(())
    }
}

/// The square root rounded to the nearest integer, at most 2¹⁶ − 1 if `x` fits 32 bits, else at most 2³² − 1.
fn root(x: u64) -> u32 {
    let floor = x.isqrt();
    let highest = if x >> 32 == 0 { u64::from(u16::MAX) } else { u64::from(u32::MAX) };
    (floor + u64::from(x - floor * floor > floor)).min(highest) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(x: &[u64], bits: i32) -> OpTest<SignalFilterBankSquareRoot> {
        let test = OpTest::new().input(Tensor::of(&[x.len() as i32], x));
        test.input(Tensor::i32(&[], &[bits])).output(Spec::of(U32))
    }

    #[test]
    fn roots() {
        let x = [0, 1, 2, 3, 6, 7, 12, 13, u64::from(u32::MAX), 1 << 32, (1 << 40) + (1 << 20), u64::MAX];
        let y = test(&x, 0).run().unwrap()[0].elements::<u32>();
        assert_eq!(y, [0, 1, 1, 2, 2, 3, 3, 4, 65535, 65536, 1 << 20, u32::MAX]);
        assert_eq!(test(&[1 << 40], 4).run().unwrap()[0].elements::<u32>(), [1 << 16]);
    }
}
