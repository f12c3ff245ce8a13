//! EXP: `y = eˣ`. f32; i8, i16 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/exp.cc.

use arenite_abi::prelude::*;

use crate::kit::float;
use crate::kit::function::{Function, Member};

/// A prepared `EXP` node.
pub type Exp = Function<Exponential>;

/// The exponential function.
pub struct Exponential;

impl Member for Exponential {
    const CODE: OpCode = OpCode::Builtin(op::EXP);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, I16]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);

    fn value(x: f32) -> f32 {
        float::exp(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::function::tests::expect;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    #[test]
    fn values() {
        expect::<Exp>(&[
            (0.0, 1.0),
            (1.0, core::f32::consts::E),
            (-2.0, 0.135_335_28),
            (100.0, f32::INFINITY),
            (f32::NEG_INFINITY, 0.0),
        ]);
    }

    #[test]
    fn quantized() {
        // e⁰ = 1, e^0.5 = 1.6487, e^-8 = 0.0003, e^2 = 7.389, in steps of 1/32 from -128.
        let x = Tensor::i8(&[4], &[2, 4, -30, 10]).quantized(0.25, 2);
        let y = OpTest::<Exp>::new().input(x).output(Spec::i8(1.0 / 32.0, -128)).in_place().run().unwrap();
        assert_eq!(y[0].as_i8(), [-96, -75, -128, 108]);
        // e⁰ = 4096 and e^-1 = 1507 steps of 1/4096, minus half the error halfway to the next entry.
        let x = Tensor::i16(&[2], &[0, -4096]).quantized(1.0 / 4096.0, 0);
        let y = OpTest::<Exp>::new().input(x).output(Spec::i16(1.0 / 4096.0, 0)).in_place().run().unwrap();
        assert_eq!(y[0].as_i16(), [4095, 1506]);
    }
}
