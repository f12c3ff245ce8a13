//! ELU: `y = x < 0 ? eˣ - 1 : x`. f32; i8 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/activations.cc and reference/elu.h.

use arenite_abi::prelude::*;

use crate::kit::float;
use crate::kit::function::{Function, Member};

/// A prepared `ELU` node.
pub type Elu = Function<ExponentialUnit>;

/// The identity for positive numbers, exponential for negative ones.
pub struct ExponentialUnit;

impl Member for ExponentialUnit {
    const CODE: OpCode = OpCode::Builtin(op::ELU);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8]);

    fn value(x: f32) -> f32 {
        if x < 0.0 { float::expm1(x) } else { x }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::function::tests::expect;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    #[test]
    fn values() {
        expect::<Elu>(&[
            (0.0, 0.0),
            (-0.0, -0.0),
            (2.5, 2.5),
            (-1.0, -0.632_120_55),
            (-1e-8, -1e-8),
            (f32::NEG_INFINITY, -1.0),
            (f32::NAN, f32::NAN),
        ]);
    }

    #[test]
    fn quantized() {
        // 0.5 (q - 1) gives -0.5, 0, 2, -20; e^-0.5 - 1 = -0.3935; the output has steps of 1/16 from -100.
        let x = Tensor::i8(&[4], &[0, 1, 5, -39]).quantized(0.5, 1);
        let y = OpTest::<Elu>::new().input(x).output(Spec::i8(1.0 / 16.0, -100)).in_place().run().unwrap();
        assert_eq!(y[0].as_i8(), [-106, -100, -68, -116]);
    }
}
