//! Checks whole nodes: their inputs and their output.

use arenite_abi::prelude::*;
use arenite_abi::testing::Tensor;

use super::elementwise::{Parts, all_near, complex_numbers};
use super::{Subject, op, refusal};
use crate::by_type;
use crate::kit::number::Number;
use crate::kit::write::Attribute;

/// A tensor of reals or integers.
pub(crate) fn of(ty: ElementType, shape: &[i32], numbers: &[f64]) -> Tensor {
    let tensor: Result<Tensor> = by_type!(ty,
        float: T => Ok(Tensor::of(shape, &numbers.iter().map(|&x| T::narrow(x)).collect::<Vec<T>>())),
        int: T => Ok(Tensor::of(shape, &numbers.iter().map(|&x| T::narrow(x as i128)).collect::<Vec<T>>())),
    );
    tensor.unwrap()
}

/// A tensor of complex numbers.
pub(crate) fn complex_of(ty: ElementType, shape: &[i32], numbers: &[Parts]) -> Tensor {
    match ty {
        C64 => Tensor::of::<Complex32>(shape, &complex_numbers(numbers)),
        _ => Tensor::of::<Complex64>(shape, &complex_numbers(numbers)),
    }
}

/// A vector of axes.
pub(crate) fn axes(axes: &[i32]) -> Tensor {
    Tensor::i32(&[axes.len() as i32], axes)
}

/// A single axis.
pub(crate) fn axis(axis: i32) -> Tensor {
    Tensor::i32(&[], &[axis])
}

/// Checks that the op rejects these inputs when its output is to be `ty`.
pub(crate) fn denies<T: Op>(inputs: &[Tensor], ty: ElementType, message: &str) {
    assert_eq!(refusal::<T>(&[], inputs, &[ty]), message);
}

/// Checks that the op does not support vectors of this type.
pub(crate) fn denies_type<T: Op>(x: Tensor) {
    let ty = x.ty();
    denies::<T>(&[x, axis(0)], ty, &format!("input 'in0' is {ty}, which this op does not support"));
}

/// Checks the op's output. Reals may differ in the last bits of their type; NaN equals NaN.
pub(crate) fn gives<T: Op>(attributes: &[(&str, Attribute<'_>)], inputs: &[Tensor], want: Tensor) {
    given(op::<T>(), attributes, inputs, want);
}

fn given(op: Subject, attributes: &[(&str, Attribute<'_>)], inputs: &[Tensor], want: Tensor) {
    let got = op.one(attributes, inputs, want.ty());
    assert_eq!(got.shape(), want.shape(), "{inputs:?}");
    let wide = |want: &Tensor| match want.ty() {
        F16 => want.as_f16().into_iter().map(Number::wide).collect(),
        BF16 => want.as_bf16().into_iter().map(Number::wide).collect(),
        F32 => want.as_f32().into_iter().map(Number::wide).collect(),
        _ => want.as_f64(),
    };
    match want.ty() {
        F16 => all_near(&got.as_f16(), &wide(&want)),
        BF16 => all_near(&got.as_bf16(), &wide(&want)),
        F32 => all_near(&got.as_f32(), &wide(&want)),
        F64 => all_near(&got.as_f64(), &wide(&want)),
        _ => assert_eq!(got, want.named("out0"), "{inputs:?}"),
    }
}
