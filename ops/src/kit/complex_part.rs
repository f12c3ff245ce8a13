//! REAL, IMAG and COMPLEX_ABS: one real number from each complex one.
//!
//! Defined by: tflite/kernels/complex_support.cc.

use core::marker::PhantomData;

use arenite_abi::prelude::*;

use super::unary;

/// The parameters of one member of the family, which its op file provides.
pub trait Member: Send + Sync + 'static {
    /// The code of the op.
    const CODE: OpCode;

    /// The function of a COMPLEX64 number.
    fn single(z: Complex32) -> f32;
    /// The function of a COMPLEX128 number.
    fn double(z: Complex64) -> f64;
}

plain! {
    /// A prepared node of the family.
    pub struct ComplexPart<marker M> {
        member: PhantomData<M>,
    }
}

impl<M: Member> Op for ComplexPart<M> {
    const CODE: OpCode = M::CODE;
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F64, C64, C128]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare_types(node, cx)?;
        match (x.ty, y.ty) {
            (C64, F32) | (C128, F64) => Ok(ComplexPart { member: PhantomData }),
            (from, to) => Err(unsupported!(
                "input {x} is {from}, output {y} is {to}; COMPLEX64 gives FLOAT32, COMPLEX128 gives FLOAT64"
            )),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => unary::map(cx, M::single),
            _ => unary::map(cx, M::double),
        }
    }
}

/// Helpers for the tests in the members' files.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// Checks the op's results for these numbers, in both widths.
    pub(crate) fn expect<O: Op>(cases: &[([f64; 2], f64)]) {
        let shape = &[cases.len() as i32, 1];
        let z: Vec<_> = cases.iter().map(|&([re, im], _)| Complex64 { re, im }).collect();
        let want: Vec<f64> = cases.iter().map(|&(_, want)| want).collect();
        let test = OpTest::<O>::new().input(Tensor::complex128(shape, &z)).output(Spec::of(F64));
        let y = test.run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_f64()), (&shape[..], want.clone()));
        let z: Vec<_> = z.iter().map(|z| Complex32 { re: z.re as f32, im: z.im as f32 }).collect();
        let test = OpTest::<O>::new().input(Tensor::complex64(shape, &z)).output(Spec::f32());
        let want: Vec<f32> = want.iter().map(|&want| want as f32).collect();
        assert_eq!(test.run().unwrap()[0].as_f32(), want);
    }
}
