//! REAL: `y = Re z`. c64 to f32, c128 to f64.
//! Defined by: tflite/kernels/complex_support.cc.

use arenite_abi::prelude::*;

use crate::kit::complex_part::{ComplexPart, Member};

/// A prepared `REAL` node.
pub type Real = ComplexPart<First>;

/// The real part of a complex number.
pub struct First;

impl Member for First {
    const CODE: OpCode = OpCode::Builtin(op::REAL);

    fn single(z: Complex32) -> f32 {
        z.re
    }

    fn double(z: Complex64) -> f64 {
        z.re
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::complex_part::tests::expect;

    #[test]
    fn values() {
        expect::<Real>(&[([1.5, -2.0], 1.5), ([-0.25, f64::NAN], -0.25)]);
    }
}
