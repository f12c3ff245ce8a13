//! LOG: `y = ln x`. f32; i8, i16 quantized, where inputs that are not positive give the lowest output. Supports
//! in-place operation.
//! Defined by: tflite/kernels/elementwise.cc.

use arenite_abi::prelude::*;

use crate::kit::float;
use crate::kit::function::{Function, Member};

/// A prepared `LOG` node.
pub type Log = Function<Logarithm>;

/// The natural logarithm.
pub struct Logarithm;

impl Member for Logarithm {
    const CODE: OpCode = OpCode::Builtin(op::LOG);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, I16]);

    fn value(x: f32) -> f32 {
        float::log(x)
    }

    fn tabled(x: f32, lowest: f32) -> f32 {
        if x <= 0.0 { lowest } else { float::log(x) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::function::tests::expect;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    #[test]
    fn values() {
        expect::<Log>(&[
            (1.0, 0.0),
            (3.0, 1.098_612_3),
            (0.0, f32::NEG_INFINITY),
            (-1.0, f32::NAN),
            (f32::INFINITY, f32::INFINITY),
        ]);
    }

    #[test]
    fn quantized() {
        // ln 1 = 0, ln 0.5 = -0.6931, ln 16 = 2.7726, in steps of 1/32 from 3. Zero and negative numbers give -128.
        let x = Tensor::i8(&[5], &[0, -1, 30, -2, -100]).quantized(0.5, -2);
        let y = OpTest::<Log>::new().input(x).output(Spec::i8(1.0 / 32.0, 3)).in_place().run().unwrap();
        assert_eq!(y[0].as_i8(), [3, -19, 92, -128, -128]);
        // ln 1 = 0, ln 2 = 0.6931, in steps of 1/8192.
        let x = Tensor::i16(&[3], &[4096, 8192, -20_000]).quantized(1.0 / 4096.0, 0);
        let y = OpTest::<Log>::new().input(x).output(Spec::i16(1.0 / 8192.0, 0)).in_place().run().unwrap();
        assert_eq!(y[0].as_i16(), [0, 5678, i16::MIN]);
    }
}
