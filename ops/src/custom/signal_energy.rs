//! SignalEnergy: `re² + im²` of the elements `start_index .. end_index` of a complex spectrum; 0 elsewhere. i16 to u32.
//! Defined by: tflite-micro's signal/micro/kernels/energy.cc, signal/src/energy.cc.

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::signal::{self, expect_list};

plain! {
    /// A prepared `SignalEnergy` node: the start index and the end index.
    pub struct SignalEnergy([usize; 2]);
}

impl Op for SignalEnergy {
    const CODE: OpCode = OpCode::Custom("SignalEnergy");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[I16, U32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        let options = CustomOptions::of(node);
        let numbers = (expect_list(&x, I16)? / 2) as i32;
        signal::expect(&y, U32)?;
        let end = signal::option_in(&options, "end_index", 0..=numbers)?;
        let start = signal::option_in(&options, "start_index", 0..=end)?;
        cx.set_output_shape(0, &[numbers])?;
        Ok(SignalEnergy([start as usize, end as usize]))
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input_slice::<i16>(0)?.as_chunks::<2>().0;
        let y = cx.output_slice::<u32>(0)?;
        y.fill(0);
        let [start, end] = self.0;
        for (y, parts) in y[start..end].iter_mut().zip(&x[start..end]) {
            let [re, im] = parts.map(|part| i32::from(part).unsigned_abs().pow(2));
            *y = re + im;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(x: &[i16], start: i64, end: i64) -> OpTest<SignalEnergy> {
        let test = OpTest::new().flexbuffer(|o| o.int("start_index", start).int("end_index", end));
        test.input(Tensor::i16(&[x.len() as i32], x)).output(Spec::of(U32))
    }

    #[test]
    fn squares() {
        let x = [1, 2, 3, -4, -32768, -32768, 7, 0];
        let run = |start, end| test(&x, start, end).run().unwrap()[0].elements::<u32>();
        assert_eq!(run(0, 4), [5, 25, 1 << 31, 49]);
        assert_eq!(run(1, 2), [0, 25, 0, 0]);
    }
}
