//! SignalFftAutoScale: shifts samples left by as many bits as the largest of them allows, and returns the number of
//! bits. i16, i32.
//! Defined by: tflite-micro's signal/micro/kernels/fft_auto_scale_{kernel,common}.cc,
//! signal/src/{fft_auto_scale,max_abs}.cc.

use arenite_abi::prelude::*;

use crate::kit::signal::{self, expect_list, most_significant_bit};

plain! {
    /// A prepared `SignalFftAutoScale` node, which has no state.
    pub struct SignalFftAutoScale;
}

impl Op for SignalFftAutoScale {
    const CODE: OpCode = OpCode::Custom("SignalFftAutoScale");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[I16, I32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=1, 2..=2)?;
        let x = node.input(0)?;
        expect_list(&x, I16)?;
        signal::expect(&node.output(0)?, I16)?;
        signal::expect(&node.output(1)?, I32)?;
        cx.set_output_shape(0, x.shape)?;
        cx.set_output_shape(1, &[])?;
        Ok(SignalFftAutoScale)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_slice::<i16>(0)?, cx.output_slice::<i16>(0)?);
        let bits = spare_bits(x);
        for (y, x) in y.iter_mut().zip(x) {
            *y = x.wrapping_shl(bits);
        }
        cx.output_slice::<i32>(1)?.fill(bits as i32);
        Ok(())
    }
}

/// The number of bits by which the largest magnitude can be shifted left. The magnitude of −32768 stays −32768, which
/// leaves no spare bits.
fn spare_bits(x: &[i16]) -> u32 {
    let larger = |max: i16, &x: &i16| match x {
        x if x > max => x,
        x if -i32::from(x) > i32::from(max) => x.wrapping_neg(),
        _ => max,
    };
    let max = x.iter().fold(0, larger);
    15u32.saturating_sub(most_significant_bit(i32::from(max) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    #[test]
    fn values() {
        let run = |x: &[i16]| {
            let test = OpTest::<SignalFftAutoScale>::new().input(Tensor::i16(&[x.len() as i32], x));
            let y = test.output(Spec::of(I16)).output(Spec::i32()).run().unwrap();
            assert_eq!(y[1].shape(), [0; 0]);
            (y[0].as_i16(), y[1].as_i32()[0])
        };
        assert_eq!(run(&[1, -5, 3]), (vec![4096, -20480, 12288], 12));
        assert_eq!(run(&[0, 0]), (vec![0, 0], 0));
        assert_eq!(run(&[16384, 1]), (vec![16384, 1], 0));
        assert_eq!(run(&[1, -32768]), (vec![1, -32768], 0));
        assert_eq!(run(&[-16383, 1]), (vec![-32766, 2], 1));
        // Any sample after −32768 counts as larger.
        assert_eq!(run(&[-32768, 1]), (vec![0, 16384], 14));
        assert_eq!(run(&[-32768, -1, 3]), (vec![0, -8192, 24576], 13));
    }
}
