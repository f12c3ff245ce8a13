//! SignalWindow: `y = x × weights >> shift`, saturated; the weights repeat. i16.
//! Defined by: tflite-micro's signal/micro/kernels/window.cc, signal/src/window.cc.

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::signal::{self, expect, expect_list};

plain! {
    /// A prepared `SignalWindow` node.
    pub struct SignalWindow {
        shift: u32,
        weights: usize,
    }
}

impl Op for SignalWindow {
    const CODE: OpCode = OpCode::Custom("SignalWindow");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[I16]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, weights, y) = node.binary()?;
        let shift = signal::option_in(&CustomOptions::of(node), "shift", 0..=31)? as u32;
        [&x, &y].into_iter().try_for_each(|tensor| expect(tensor, I16))?;
        let count = expect_list(&weights, I16)?;
        ensure!(
            count > 0 && x.len().is_multiple_of(count),
            "{x} {:?} is not a whole number of windows of {count} weights",
            x.shape
        );
        cx.set_output_shape(0, x.shape)?;
        cx.allow_in_place(0, 0)?;
        Ok(SignalWindow { shift, weights: count })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_cells::<i16>(0)?, cx.output_cells::<i16>(0)?);
        let weights = cx.input_slice::<i16>(1)?;
        for (i, (x, y)) in x.iter().zip(y).enumerate() {
            let product = (i32::from(x) * i32::from(weights[i % self.weights])) >> self.shift;
            y.set(product.clamp(i16::MIN.into(), i16::MAX.into()) as i16);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(shape: &[i32], x: &[i16], weights: &[i16], shift: i64) -> OpTest<SignalWindow> {
        let test = OpTest::new().flexbuffer(|o| o.int("shift", shift)).input(Tensor::i16(shape, x));
        test.constant(Tensor::i16(&[weights.len() as i32], weights)).output(Spec::of(I16))
    }

    #[test]
    fn products() {
        let x = [1000, -1000, 32767, -32768, 7, -7];
        let y = test(&[3, 2], &x, &[4096, 2048], 12).in_place().run().unwrap();
        assert_eq!(y[0].as_i16(), [1000, -500, 32767, -16384, 7, -4]);
        assert_eq!(test(&[2], &[300, -300], &[300, 300], 0).run().unwrap()[0].as_i16(), [32767, -32768]);
    }
}
