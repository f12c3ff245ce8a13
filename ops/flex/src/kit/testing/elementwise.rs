//! Tables of functions of each element, or of each pair: a case is the arguments and the result.
//!
//! Every table runs on a list, on a scalar and on nothing. Pairs are also repeated by broadcasting; shapes that do not
//! broadcast and types that differ are refused. Reals may differ from the result in the last bits of their type; NaN is
//! NaN.

use core::fmt::Debug;

use arenite_abi::prelude::*;
use arenite_abi::testing::Tensor;

use super::{one, refusal};
use crate::kit::number::Number;

/// No number.
pub(crate) const NAN: f64 = f64::NAN;
/// Infinity.
pub(crate) const INF: f64 = f64::INFINITY;

/// Real and imaginary part.
pub(crate) type Parts = (f64, f64);

/// The op refuses these inputs, whose type the output has.
pub(crate) fn refuses<T: Op>(inputs: &[Tensor], message: &str) {
    assert_eq!(refusal::<T>(&[], inputs, &[inputs[0].ty()]), message);
}

/// The op refuses two inputs like this one, whose type the output has.
pub(crate) fn refuses_pair<T: Op>(x: Tensor, message: &str) {
    refuses::<T>(&[x.clone(), x], message);
}

/// The op takes exactly this many inputs.
pub(crate) fn takes<T: Op>(count: usize) {
    for other in [count - 1, count + 1] {
        let inputs = vec![Tensor::f32(&[], &[1.0]); other];
        let message = format!("it has {other} inputs, this op takes {count} to {count}");
        assert_eq!(refusal::<T>(&[], &inputs, &[F32]), message);
    }
}

macro_rules! for_types {
    ($function:ident::<$op:ident>($cases:expr): $($ty:ty)*) => { $($function::<$op, $ty>($cases);)* };
}

/// Of every type of reals, which all have the arguments exactly.
pub(crate) fn reals<T: Op>(cases: &[(f64, f64)]) {
    for_types!(real_cases::<T>(cases): half::f16 half::bf16 f32 f64);
}

/// Of FLOAT64.
pub(crate) fn f64s<T: Op>(cases: &[(f64, f64)]) {
    real_cases::<T, f64>(cases);
}

/// Of every type of integers that has the numbers.
pub(crate) fn wholes<T: Op>(cases: &[(i64, i64)]) {
    for_types!(whole_cases::<T>(cases): i8 i16 i32 i64);
    if cases.iter().all(|&(x, y)| x >= 0 && y >= 0) {
        for_types!(whole_cases::<T>(cases): u8 u16 u32 u64);
    }
}

/// Of one type, exactly.
pub(crate) fn exact<T: Op, X: Element + PartialEq + Debug>(cases: &[(X, X)]) {
    let (x, want): (Vec<X>, Vec<X>) = cases.iter().copied().unzip();
    assert_eq!(each::<T, X, X>(&x), want);
}

/// Of both types of complex numbers.
pub(crate) fn complexes<T: Op>(cases: &[(Parts, Parts)]) {
    for_types!(complex_cases::<T>(cases): Complex32 Complex64);
}

/// Of complex numbers to reals.
pub(crate) fn parts<T: Op>(cases: &[(Parts, f64)]) {
    let (x, want): (Vec<Parts>, Vec<f64>) = cases.iter().copied().unzip();
    all_near(&each::<T, Complex32, f32>(&complex_numbers(&x)), &want);
    all_near(&each::<T, Complex64, f64>(&complex_numbers(&x)), &want);
}

/// Of every type of reals to truth values.
pub(crate) fn tests<T: Op>(cases: &[(f64, bool)]) {
    for_types!(test_cases::<T>(cases): half::f16 half::bf16 f32 f64);
}

/// Of truth values.
pub(crate) fn bools<T: Op>(cases: &[(bool, bool)]) {
    let (x, want): (Vec<Bool>, Vec<Bool>) = cases.iter().map(|&(x, y)| (truth(x), truth(y))).unzip();
    assert_eq!(each::<T, Bool, Bool>(&x), want);
}

/// Of pairs of every type of reals, which all have the arguments exactly.
pub(crate) fn real_pairs<T: Op>(cases: &[(f64, f64, f64)]) {
    for_types!(real_pair_cases::<T>(cases): half::f16 half::bf16 f32 f64);
}

/// Of pairs of every type of integers that has the numbers.
pub(crate) fn whole_pairs<T: Op>(cases: &[(i64, i64, i64)]) {
    for_types!(whole_pair_cases::<T>(cases): i8 i16 i32 i64);
    if cases.iter().all(|&(a, b, y)| a >= 0 && b >= 0 && y >= 0) {
        for_types!(whole_pair_cases::<T>(cases): u8 u16 u32 u64);
    }
}

/// Of pairs of one type, exactly.
pub(crate) fn exact_pairs<T: Op, X: Element + PartialEq + Debug>(cases: &[(X, X, X)]) {
    let (a, b, want) = unzip(cases);
    assert_eq!(each_pair::<T, X, X>(&a, &b), want);
}

/// Of pairs of both types of complex numbers.
pub(crate) fn complex_pairs<T: Op>(cases: &[(Parts, Parts, Parts)]) {
    for_types!(complex_pair_cases::<T>(cases): Complex32 Complex64);
}

/// Of pairs of truth values.
pub(crate) fn bool_pairs<T: Op>(cases: &[(bool, bool, bool)]) {
    let (a, b, want) = unzip(cases);
    let truths = |x: Vec<bool>| x.into_iter().map(truth).collect::<Vec<_>>();
    assert_eq!(each_pair::<T, Bool, Bool>(&truths(a), &truths(b)), truths(want));
}

/// Of pairs to truth values: reals, and integers where all are whole and none is negative.
pub(crate) fn comparisons<T: Op>(cases: &[(f64, f64, bool)]) {
    for_types!(comparison_cases::<T>(cases): half::f16 half::bf16 f32 f64);
    let whole: Vec<_> =
        cases.iter().filter(|(a, b, _)| [a, b].iter().all(|x| (0.0..128.0).contains(*x))).copied().collect();
    for_types!(integer_comparisons::<T>(&whole): i8 i16 i32 i64 u8 u16 u32 u64);
}

/// As [`real_pairs`], of inputs that must agree in shape.
pub(crate) fn gradients<T: Op>(cases: &[(f64, f64, f64)]) {
    for_types!(gradient_cases::<T>(cases): half::f16 half::bf16 f32 f64);
    let (a, b) = (Tensor::f32(&[2, 1], &[1.0; 2]), Tensor::f32(&[2], &[1.0; 2]));
    refuses::<T>(&[a, b], "inputs 'in0' [2, 1] and 'in1' [2] differ in shape; they must agree");
}

/// As [`complex_pairs`], of inputs that must agree in shape.
pub(crate) fn complex_gradients<T: Op>(cases: &[(Parts, Parts, Parts)]) {
    for_types!(complex_gradient_cases::<T>(cases): Complex32 Complex64);
}

/// As [`whole_pairs`], of inputs that must agree in shape.
pub(crate) fn whole_gradients<T: Op>(cases: &[(i64, i64, i64)]) {
    for_types!(whole_gradient_cases::<T>(cases): i8 i16 i32 i64 u8 u16 u32 u64);
}

/// A type of reals and the bits of its fraction.
pub(super) trait Real: Number<Wide = f64> + Debug {
    const BITS: i32;
}

impl Real for half::f16 {
    const BITS: i32 = 10;
}

impl Real for half::bf16 {
    const BITS: i32 = 7;
}

impl Real for f32 {
    const BITS: i32 = 23;
}

impl Real for f64 {
    const BITS: i32 = 48;
}

/// A type of complex numbers and the bits of its parts' fractions.
trait ComplexNumber: Number<Wide = Complex64> {
    const BITS: i32;
}

impl ComplexNumber for Complex32 {
    const BITS: i32 = 22;
}

impl ComplexNumber for Complex64 {
    const BITS: i32 = 48;
}

fn near(got: f64, want: f64, size: f64, bits: i32) -> bool {
    got == want || got.is_nan() && want.is_nan() || (got - want).abs() <= size * 2f64.powi(-bits)
}

pub(super) fn all_near<X: Real>(got: &[X], want: &[f64]) {
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let ok = near(got.wide(), *want, want.abs(), X::BITS);
        assert!(ok, "case {i} in {}: {got:?}, not {want:?}", X::TYPE);
    }
}

fn all_complex_near<X: ComplexNumber>(got: &[X], want: &[Parts]) {
    for (i, (got, &want)) in got.iter().zip(want).enumerate() {
        let size = [want.0, want.1].into_iter().filter(|x| x.is_finite()).fold(0.0, f64::hypot);
        let got = got.wide();
        let ok = near(got.re, want.0, size, X::BITS) && near(got.im, want.1, size, X::BITS);
        assert!(ok, "case {i} in {}: ({:?}, {:?}), not {want:?}", X::TYPE, got.re, got.im);
    }
}

fn numbers<X: Real>(x: impl IntoIterator<Item = f64>) -> Vec<X> {
    let number = |x: f64| {
        let number = X::narrow(x);
        assert!(x.is_nan() || number.wide() == x, "{} has no {x}", X::TYPE);
        number
    };
    x.into_iter().map(number).collect()
}

fn integers<X: Number<Wide = i128>>(x: impl IntoIterator<Item = i64>) -> Vec<X> {
    let number = |x: i64| {
        let number = X::narrow(x.into());
        assert!(number.wide() == x.into(), "{} has no {x}", X::TYPE);
        number
    };
    x.into_iter().map(number).collect()
}

pub(super) fn complex_numbers<X: Number<Wide = Complex64>>(x: &[Parts]) -> Vec<X> {
    x.iter().map(|&(re, im)| X::narrow(Complex64 { re, im })).collect()
}

fn truth(x: bool) -> Bool {
    Bool(x.into())
}

fn unzip<A: Copy, B: Copy, C: Copy>(cases: &[(A, B, C)]) -> (Vec<A>, Vec<B>, Vec<C>) {
    let columns = |&(a, b, c): &(A, B, C)| (a, (b, c));
    let (a, rest): (Vec<A>, Vec<(B, C)>) = cases.iter().map(columns).unzip();
    let (b, c) = rest.into_iter().unzip();
    (a, b, c)
}

fn real_cases<T: Op, X: Real>(cases: &[(f64, f64)]) {
    let (x, want): (Vec<f64>, Vec<f64>) = cases.iter().copied().unzip();
    all_near(&each::<T, X, X>(&numbers(x)), &want);
}

fn whole_cases<T: Op, X: Number<Wide = i128> + PartialEq + Debug>(cases: &[(i64, i64)]) {
    let (x, want): (Vec<i64>, Vec<i64>) = cases.iter().copied().unzip();
    assert_eq!(each::<T, X, X>(&integers(x)), integers(want), "{}", X::TYPE);
}

fn complex_cases<T: Op, X: ComplexNumber>(cases: &[(Parts, Parts)]) {
    let (x, want): (Vec<Parts>, Vec<Parts>) = cases.iter().copied().unzip();
    all_complex_near(&each::<T, X, X>(&complex_numbers(&x)), &want);
}

fn test_cases<T: Op, X: Real>(cases: &[(f64, bool)]) {
    let (x, want): (Vec<f64>, Vec<Bool>) = cases.iter().map(|&(x, y)| (x, truth(y))).unzip();
    assert_eq!(each::<T, X, Bool>(&numbers(x)), want, "{}", X::TYPE);
}

fn real_pair_cases<T: Op, X: Real>(cases: &[(f64, f64, f64)]) {
    let (a, b, want) = unzip(cases);
    all_near(&each_pair::<T, X, X>(&numbers(a), &numbers(b)), &want);
}

fn whole_pair_cases<T: Op, X: Number<Wide = i128> + PartialEq + Debug>(cases: &[(i64, i64, i64)]) {
    let (a, b, want) = unzip(cases);
    assert_eq!(each_pair::<T, X, X>(&integers(a), &integers(b)), integers(want), "{}", X::TYPE);
}

fn complex_pair_cases<T: Op, X: ComplexNumber>(cases: &[(Parts, Parts, Parts)]) {
    let (a, b, want) = unzip(cases);
    all_complex_near(&each_pair::<T, X, X>(&complex_numbers(&a), &complex_numbers(&b)), &want);
}

fn comparison_cases<T: Op, X: Real>(cases: &[(f64, f64, bool)]) {
    let (a, b, want) = unzip(cases);
    let want: Vec<Bool> = want.into_iter().map(truth).collect();
    assert_eq!(each_pair::<T, X, Bool>(&numbers(a), &numbers(b)), want, "{}", X::TYPE);
}

fn integer_comparisons<T: Op, X: Number<Wide = i128>>(cases: &[(f64, f64, bool)]) {
    let (a, b, want) = unzip(cases);
    let whole = |x: Vec<f64>| integers(x.into_iter().map(|x| x as i64));
    let want: Vec<Bool> = want.into_iter().map(truth).collect();
    assert_eq!(each_pair::<T, X, Bool>(&whole(a), &whole(b)), want, "{}", X::TYPE);
}

fn gradient_cases<T: Op, X: Real>(cases: &[(f64, f64, f64)]) {
    let (a, b, want) = unzip(cases);
    all_near(&each_alike::<T, X, X>(&numbers(a), &numbers(b)), &want);
}

fn complex_gradient_cases<T: Op, X: ComplexNumber>(cases: &[(Parts, Parts, Parts)]) {
    let (a, b, want) = unzip(cases);
    all_complex_near(&each_alike::<T, X, X>(&complex_numbers(&a), &complex_numbers(&b)), &want);
}

fn whole_gradient_cases<T: Op, X: Number<Wide = i128> + PartialEq + Debug>(cases: &[(i64, i64, i64)]) {
    let (a, b, want) = unzip(cases);
    assert_eq!(each_alike::<T, X, X>(&integers(a), &integers(b)), integers(want), "{}", X::TYPE);
}

/// The results of a list, which are those of its first element alone, and of nothing.
fn each<T: Op, X: Element, Y: Element>(x: &[X]) -> Vec<Y> {
    let list = one::<T>(&[], &[Tensor::of(&[x.len() as i32], x)], Y::TYPE);
    assert_eq!(list.shape(), [x.len() as i32]);
    let scalar = one::<T>(&[], &[Tensor::of(&[], &x[..1])], Y::TYPE);
    assert_eq!((scalar.shape(), scalar.bytes()), (&[][..], &list.bytes()[..size_of::<Y>()]));
    let empty = one::<T>(&[], &[Tensor::of::<X>(&[2, 0], &[])], Y::TYPE);
    assert_eq!(empty.shape(), [2, 0]);
    list.elements()
}

/// The results of pairs in two lists of one shape.
fn each_alike<T: Op, X: Element, Y: Element>(a: &[X], b: &[X]) -> Vec<Y> {
    let n = a.len() as i32;
    let list = one::<T>(&[], &[Tensor::of(&[n], a), Tensor::of(&[n], b)], Y::TYPE);
    assert_eq!(list.shape(), [n]);
    let scalar = one::<T>(&[], &[Tensor::of(&[], &a[..1]), Tensor::of(&[], &b[..1])], Y::TYPE);
    assert_eq!((scalar.shape(), scalar.bytes()), (&[][..], &list.bytes()[..size_of::<Y>()]));
    let nothing = Tensor::of::<X>(&[2, 0], &[]);
    assert_eq!(one::<T>(&[], &[nothing.clone(), nothing], Y::TYPE).shape(), [2, 0]);
    list.elements()
}

/// As [`each_alike`], of a function that broadcasts.
fn each_pair<T: Op, X: Element, Y: Element>(a: &[X], b: &[X]) -> Vec<Y> {
    let list = each_alike::<T, X, Y>(a, b);
    for (i, y) in list.iter().enumerate() {
        let (two, three) = (Tensor::of(&[2, 1], &[a[i]; 2]), Tensor::of(&[3], &[b[i]; 3]));
        assert_eq!(one::<T>(&[], &[two, three], Y::TYPE), Tensor::of(&[2, 3], &[*y; 6]).named("out0"));
    }
    let (nothing, scalar) = (Tensor::of::<X>(&[0], &[]), Tensor::of(&[], &b[..1]));
    assert_eq!(one::<T>(&[], &[nothing, scalar], Y::TYPE).shape(), [0]);
    let (two, three) = (Tensor::of(&[2], &[a[0]; 2]), Tensor::of(&[3], &[b[0]; 3]));
    assert_eq!(
        refusal::<T>(&[], &[two.clone(), three], &[Y::TYPE]),
        "inputs 'in0' [2] and 'in1' [3] do not broadcast; sizes must be equal or 1"
    );
    assert_eq!(
        refusal::<T>(&[], &[two, Tensor::strings(&[1], &["a"])], &[Y::TYPE]),
        format!("inputs 'in0' and 'in1' are {} and STRING; they must agree", X::TYPE)
    );
    list
}
