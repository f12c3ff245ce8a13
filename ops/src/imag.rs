//! IMAG: `y = Im z`. c64 to f32, c128 to f64.
//! Defined by: tflite/kernels/complex_support.cc.

use arenite_abi::prelude::*;

use crate::kit::complex_part::{ComplexPart, Member};

/// A prepared `IMAG` node.
pub type Imag = ComplexPart<Second>;

/// The imaginary part of a complex number.
pub struct Second;

impl Member for Second {
    const CODE: OpCode = OpCode::Builtin(op::IMAG);

    fn single(z: Complex32) -> f32 {
        z.im
    }

    fn double(z: Complex64) -> f64 {
        z.im
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::complex_part::tests::expect;

    #[test]
    fn values() {
        expect::<Imag>(&[([1.5, -2.0], -2.0), ([f64::NAN, 0.25], 0.25)]);
    }
}
