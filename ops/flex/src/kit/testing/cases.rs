//! Test cases of whole tensors: attributes, inputs and the expected outputs.

pub(crate) use arenite_abi::prelude::*;
pub(crate) use arenite_abi::testing::Tensor;

pub(crate) use crate::kit::write::Attribute;
pub(crate) use crate::kit::write::Attribute::{Bool as Flag, Float, Int, Ints, Text};

use super::{Subject, op};
use crate::by_type;
use crate::kit::number::Number;

/// The real types.
pub(crate) const REALS: &[ElementType] = &[F16, BF16, F32, F64];
/// The complex types.
pub(crate) const COMPLEX: &[ElementType] = &[C64, C128];

/// A tensor of any numeric type or of booleans.
pub(crate) fn of(ty: ElementType, shape: &[i32], x: &[f64]) -> Tensor {
    let made: Result<Tensor> = by_type!(ty,
        float: T => Ok(Tensor::of(shape, &x.iter().map(|&x| T::narrow(x)).collect::<Vec<_>>())),
        int: T => Ok(Tensor::of(shape, &x.iter().map(|&x| T::narrow(x as i128)).collect::<Vec<_>>())),
        complex: T => {
            let x = x.iter().map(|&re| T::narrow(Complex64 { re, im: 0.0 }));
            Ok(Tensor::of(shape, &x.collect::<Vec<_>>()))
        },
        bool: T => Ok(Tensor::of(shape, &x.iter().map(|&x| T::narrow(x != 0.0)).collect::<Vec<_>>())),
    );
    made.unwrap()
}

/// A tensor of complex numbers from their real and imaginary parts.
pub(crate) fn complex(ty: ElementType, shape: &[i32], x: &[(f64, f64)]) -> Tensor {
    let made: Result<Tensor> = by_type!(ty, complex: T => {
        let x = x.iter().map(|&(re, im)| T::narrow(Complex64 { re, im }));
        Ok(Tensor::of(shape, &x.collect::<Vec<_>>()))
    });
    made.unwrap()
}

/// A vector of INT32.
pub(crate) fn list(x: &[i32]) -> Tensor {
    Tensor::i32(&[x.len() as i32], x)
}

/// An INT32 scalar.
pub(crate) fn int(x: i32) -> Tensor {
    Tensor::i32(&[], &[x])
}

/// A FLOAT32 scalar.
pub(crate) fn real(x: f32) -> Tensor {
    Tensor::f32(&[], &[x])
}

/// Checks the outputs for these inputs. Reals may differ in the last bits of their type; NaN equals NaN.
pub(crate) fn gives<T: Op>(attributes: &[(&str, Attribute<'_>)], inputs: &[Tensor], want: &[Tensor]) {
    given(op::<T>(), attributes, inputs, want);
}

fn given(op: Subject, attributes: &[(&str, Attribute<'_>)], inputs: &[Tensor], want: &[Tensor]) {
    let types: Vec<_> = want.iter().map(Tensor::ty).collect();
    let got = op.run(attributes, inputs, &types).unwrap();
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert_eq!(got.shape(), want.shape(), "{got:?} instead of {want:?} of {attributes:?} {inputs:?}");
        let near = match precision(want.ty()) {
            None => got.bytes() == want.bytes(),
            Some(bit) => numbers(got).iter().zip(numbers(want)).all(|(a, b)| {
                *a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 16.0 * bit * b.abs().max(1.0)
            }),
        };
        assert!(near, "{got:?} instead of {want:?} of {attributes:?} {inputs:?}");
    }
}

/// Like [`gives`], once for each of the types, which all inputs and outputs then have.
pub(crate) fn each<T: Op>(
    types: &[ElementType],
    attributes: &[(&str, Attribute<'_>)],
    inputs: &[(&[i32], &[f64])],
    want: (&[i32], &[f64]),
) {
    each_of(op::<T>(), types, attributes, inputs, want);
}

fn each_of(
    op: Subject,
    types: &[ElementType],
    attributes: &[(&str, Attribute<'_>)],
    inputs: &[(&[i32], &[f64])],
    want: (&[i32], &[f64]),
) {
    for &ty in types {
        let inputs: Vec<_> = inputs.iter().map(|&(shape, x)| of(ty, shape, x)).collect();
        given(op, attributes, &inputs, &[of(ty, want.0, want.1)]);
    }
}

/// Checks that the op rejects these inputs with this message.
pub(crate) fn refuses<T: Op>(
    attributes: &[(&str, Attribute<'_>)],
    inputs: &[Tensor],
    outputs: &[ElementType],
    message: &str,
) {
    assert_eq!(super::refusal::<T>(attributes, inputs, outputs), message);
}

/// The value of the lowest bit of 1.
fn precision(ty: ElementType) -> Option<f64> {
    Some(match ty {
        F16 => half::f16::EPSILON.to_f64(),
        BF16 => half::bf16::EPSILON.to_f64(),
        F32 | C64 => f32::EPSILON.into(),
        F64 | C128 => f64::EPSILON,
        _ => return None,
    })
}

/// The reals, or the parts of complex numbers.
fn numbers(x: &Tensor) -> Vec<f64> {
    let numbers: Result<Vec<f64>> = by_type!(x.ty(),
        float: T => Ok(x.elements::<T>().into_iter().map(Number::wide).collect()),
        complex: T => {
            Ok(x.elements::<T>().into_iter().map(Number::wide).flat_map(|z| [z.re, z.im]).collect())
        },
    );
    numbers.unwrap()
}
