//! COMPLEX_ABS: `y = |z|`. c64 to f32, c128 to f64.
//! Defined by: tflite/kernels/complex_support.cc.

use arenite_abi::prelude::*;

use crate::kit::complex_part::{ComplexPart, Member};

/// A prepared `COMPLEX_ABS` node.
pub type ComplexAbs = ComplexPart<Modulus>;

/// The modulus of a complex number.
pub struct Modulus;

impl Member for Modulus {
    const CODE: OpCode = OpCode::Builtin(op::COMPLEX_ABS);

    fn single(z: Complex32) -> f32 {
        // As in glibc: the squares of f32 are exact in f64.
        let (a, b) = (f64::from(z.re), f64::from(z.im));
        if a.is_infinite() || b.is_infinite() { f32::INFINITY } else { libm::sqrt(a * a + b * b) as f32 }
    }

    fn double(z: Complex64) -> f64 {
        libm::hypot(z.re, z.im)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::complex_part::tests::expect;

    #[test]
    fn values() {
        expect::<ComplexAbs>(&[
            ([3.0, -4.0], 5.0),
            ([3e30, 4e30], 5e30),
            ([0.0, -0.0], 0.0),
            ([f64::NEG_INFINITY, f64::NAN], f64::INFINITY),
        ]);
    }
}
