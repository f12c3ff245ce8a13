//! Tables of test cases for element-wise functions: a case lists arguments and results.
//!
//! Every table runs on a vector, on a scalar and on an empty tensor. Pairs are also repeated by broadcasting; shapes
//! that do not broadcast and types that differ must be rejected. Reals may differ from the result in the last bits of
//! their type; NaN equals NaN.

use core::fmt::Debug;

use arenite_abi::prelude::*;
use arenite_abi::testing::Tensor;

use super::Subject;
use crate::by_type;
use crate::kit::number::Number;

/// Not a number.
pub(crate) const NAN: f64 = f64::NAN;
/// Positive infinity.
pub(crate) const INF: f64 = f64::INFINITY;

/// A real and an imaginary part.
pub(crate) type Complex = (f64, f64);

/// Each op with its cases.
pub(crate) type CaseTable<'a> = &'a [(Subject, &'a [Case<'a>])];

/// Arguments and results.
pub(crate) enum Case<'a> {
    /// For every real type; the arguments are exact in all of them.
    Reals(&'a [(f64, f64)]),
    /// For FLOAT64.
    F64s(&'a [(f64, f64)]),
    /// For every integer type that can represent the numbers.
    Wholes(&'a [(i64, i64)]),
    /// For one integer type.
    Exact(ElementType, &'a [(i128, i128)]),
    /// For both complex types.
    Complexes(&'a [(Complex, Complex)]),
    /// From complex numbers to reals.
    OneOfParts(&'a [(Complex, f64)]),
    /// From every real type to booleans.
    Tests(&'a [(f64, bool)]),
    /// For booleans.
    Bools(&'a [(bool, bool)]),
    /// Pairs of every real type; the arguments are exact in all of them.
    RealPairs(&'a [(f64, f64, f64)]),
    /// Pairs of every integer type that can represent the numbers.
    WholePairs(&'a [(i64, i64, i64)]),
    /// Pairs of one integer type.
    ExactPairs(ElementType, &'a [(i128, i128, i128)]),
    /// Pairs of both complex types.
    ComplexPairs(&'a [(Complex, Complex, Complex)]),
    /// Pairs of booleans.
    BoolPairs(&'a [(bool, bool, bool)]),
    /// Pairs with a boolean result: of reals, and of integers if all numbers are whole and none is negative.
    Comparisons(&'a [(f64, f64, bool)]),
    /// Like [`RealPairs`](Case::RealPairs), for inputs of equal shape.
    Gradients(&'a [(f64, f64, f64)]),
    /// Like [`ComplexPairs`](Case::ComplexPairs), for inputs of equal shape.
    ComplexGradients(&'a [(Complex, Complex, Complex)]),
    /// Like [`WholePairs`](Case::WholePairs), for inputs of equal shape.
    WholeGradients(&'a [(i64, i64, i64)]),
}

/// Checks that the table has cases for every op of `names`, and that all of them hold.
pub(crate) fn check(names: &[&str], table: CaseTable<'_>) {
    assert_eq!(table.iter().map(|(op, _)| op.name).collect::<Vec<_>>(), names);
    for &(op, cases) in table {
        assert!(!cases.is_empty(), "{} has no cases", op.name);
        cases.iter().for_each(|case| case.check(op));
    }
}

macro_rules! for_types {
    ($function:ident($op:expr, $cases:expr): $($ty:ty)*) => {{ $($function::<$ty>($op, $cases);)* }};
}

impl Case<'_> {
    fn check(&self, op: Subject) {
        match *self {
            Case::Reals(cases) => for_types!(real_cases(op, cases): half::f16 half::bf16 f32 f64),
            Case::F64s(cases) => real_cases::<f64>(op, cases),
            Case::Wholes(cases) => {
                for_types!(whole_cases(op, cases): i8 i16 i32 i64);
                if cases.iter().all(|&(x, y)| x >= 0 && y >= 0) {
                    for_types!(whole_cases(op, cases): u8 u16 u32 u64);
                }
            }
            Case::Exact(ty, cases) => exact(op, ty, cases),
            Case::Complexes(cases) => for_types!(complex_cases(op, cases): Complex32 Complex64),
            Case::OneOfParts(cases) => {
                let (x, want): (Vec<Complex>, Vec<f64>) = cases.iter().copied().unzip();
                all_near(&each::<Complex32, f32>(op, &complex_numbers(&x)), &want);
                all_near(&each::<Complex64, f64>(op, &complex_numbers(&x)), &want);
            }
            Case::Tests(cases) => for_types!(test_cases(op, cases): half::f16 half::bf16 f32 f64),
            Case::Bools(cases) => {
                let (x, want): (Vec<Bool>, Vec<Bool>) =
                    cases.iter().map(|&(x, y)| (truth(x), truth(y))).unzip();
                assert_eq!(each::<Bool, Bool>(op, &x), want, "{}", op.name);
            }
            _ => self.check_pairs(op),
        }
    }

    fn check_pairs(&self, op: Subject) {
        match *self {
            Case::RealPairs(cases) => for_types!(real_pair_cases(op, cases): half::f16 half::bf16 f32 f64),
            Case::WholePairs(cases) => {
                for_types!(whole_pair_cases(op, cases): i8 i16 i32 i64);
                if cases.iter().all(|&(a, b, y)| a >= 0 && b >= 0 && y >= 0) {
                    for_types!(whole_pair_cases(op, cases): u8 u16 u32 u64);
                }
            }
            Case::ExactPairs(ty, cases) => exact_pairs(op, ty, cases),
            Case::ComplexPairs(cases) => for_types!(complex_pair_cases(op, cases): Complex32 Complex64),
            Case::BoolPairs(cases) => {
                let (a, b, want) = unzip(cases);
                let truths = |x: Vec<bool>| x.into_iter().map(truth).collect::<Vec<_>>();
                assert_eq!(each_pair::<Bool, Bool>(op, &truths(a), &truths(b)), truths(want), "{}", op.name);
            }
            Case::Comparisons(cases) => {
                for_types!(comparison_cases(op, cases): half::f16 half::bf16 f32 f64);
                let whole = |x: &f64| (0.0..128.0).contains(x);
                let whole: Vec<_> =
                    cases.iter().filter(|(a, b, _)| [a, b].into_iter().all(whole)).copied().collect();
                for_types!(integer_comparisons(op, &whole): i8 i16 i32 i64 u8 u16 u32 u64);
            }
            Case::Gradients(cases) => {
                for_types!(gradient_cases(op, cases): half::f16 half::bf16 f32 f64);
                let inputs = [Tensor::f32(&[2, 1], &[1.0; 2]), Tensor::f32(&[2], &[1.0; 2])];
                let message = "inputs 'in0' [2, 1] and 'in1' [2] differ in shape; they must agree";
                assert_eq!(op.refusal(&[], &inputs, &[F32]), message);
            }
            Case::ComplexGradients(cases) => {
                for_types!(complex_gradient_cases(op, cases): Complex32 Complex64);
            }
            Case::WholeGradients(cases) => {
                for_types!(whole_gradient_cases(op, cases): i8 i16 i32 i64 u8 u16 u32 u64);
            }
            _ => unreachable!("of one element"),
        }
    }
}

/// A real type and the number of its fraction bits.
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

/// A complex type and the number of fraction bits of its parts.
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

fn all_complex_near<X: ComplexNumber>(got: &[X], want: &[Complex]) {
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

fn integers<X: Number<Wide = i128>>(x: impl IntoIterator<Item: Into<i128>>) -> Vec<X> {
    let number = |x: i128| {
        let number = X::narrow(x);
        assert!(number.wide() == x, "{} has no {x}", X::TYPE);
        number
    };
    x.into_iter().map(|x| number(x.into())).collect()
}

pub(super) fn complex_numbers<X: Number<Wide = Complex64>>(x: &[Complex]) -> Vec<X> {
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

fn exact(op: Subject, ty: ElementType, cases: &[(i128, i128)]) {
    let (x, want): (Vec<i128>, Vec<i128>) = cases.iter().copied().unzip();
    let checked: Result<()> = by_type!(ty, int: T => {
        assert_eq!(each::<T, T>(op, &integers(x)), integers::<T>(want), "{} in {ty}", op.name);
        Ok(())
    });
    checked.unwrap();
}

fn exact_pairs(op: Subject, ty: ElementType, cases: &[(i128, i128, i128)]) {
    let (a, b, want) = unzip(cases);
    let checked: Result<()> = by_type!(ty, int: T => {
        assert_eq!(each_pair::<T, T>(op, &integers(a), &integers(b)), integers::<T>(want), "{} in {ty}", op.name);
        Ok(())
    });
    checked.unwrap();
}

fn real_cases<X: Real>(op: Subject, cases: &[(f64, f64)]) {
    let (x, want): (Vec<f64>, Vec<f64>) = cases.iter().copied().unzip();
    all_near(&each::<X, X>(op, &numbers(x)), &want);
}

fn whole_cases<X: Number<Wide = i128> + PartialEq + Debug>(op: Subject, cases: &[(i64, i64)]) {
    let (x, want): (Vec<i64>, Vec<i64>) = cases.iter().copied().unzip();
    assert_eq!(each::<X, X>(op, &integers(x)), integers(want), "{}", X::TYPE);
}

fn complex_cases<X: ComplexNumber>(op: Subject, cases: &[(Complex, Complex)]) {
    let (x, want): (Vec<Complex>, Vec<Complex>) = cases.iter().copied().unzip();
    all_complex_near(&each::<X, X>(op, &complex_numbers(&x)), &want);
}

fn test_cases<X: Real>(op: Subject, cases: &[(f64, bool)]) {
    let (x, want): (Vec<f64>, Vec<Bool>) = cases.iter().map(|&(x, y)| (x, truth(y))).unzip();
    assert_eq!(each::<X, Bool>(op, &numbers(x)), want, "{}", X::TYPE);
}

fn real_pair_cases<X: Real>(op: Subject, cases: &[(f64, f64, f64)]) {
    let (a, b, want) = unzip(cases);
    all_near(&each_pair::<X, X>(op, &numbers(a), &numbers(b)), &want);
}

fn whole_pair_cases<X: Number<Wide = i128> + PartialEq + Debug>(op: Subject, cases: &[(i64, i64, i64)]) {
    let (a, b, want) = unzip(cases);
    assert_eq!(each_pair::<X, X>(op, &integers(a), &integers(b)), integers(want), "{}", X::TYPE);
}

fn complex_pair_cases<X: ComplexNumber>(op: Subject, cases: &[(Complex, Complex, Complex)]) {
    let (a, b, want) = unzip(cases);
    all_complex_near(&each_pair::<X, X>(op, &complex_numbers(&a), &complex_numbers(&b)), &want);
}

fn comparison_cases<X: Real>(op: Subject, cases: &[(f64, f64, bool)]) {
    let (a, b, want) = unzip(cases);
    let want: Vec<Bool> = want.into_iter().map(truth).collect();
    assert_eq!(each_pair::<X, Bool>(op, &numbers(a), &numbers(b)), want, "{}", X::TYPE);
}

fn integer_comparisons<X: Number<Wide = i128>>(op: Subject, cases: &[(f64, f64, bool)]) {
    let (a, b, want) = unzip(cases);
    let whole = |x: Vec<f64>| integers(x.into_iter().map(|x| x as i64));
    let want: Vec<Bool> = want.into_iter().map(truth).collect();
    assert_eq!(each_pair::<X, Bool>(op, &whole(a), &whole(b)), want, "{}", X::TYPE);
}

fn gradient_cases<X: Real>(op: Subject, cases: &[(f64, f64, f64)]) {
    let (a, b, want) = unzip(cases);
    all_near(&each_alike::<X, X>(op, &numbers(a), &numbers(b)), &want);
}

fn complex_gradient_cases<X: ComplexNumber>(op: Subject, cases: &[(Complex, Complex, Complex)]) {
    let (a, b, want) = unzip(cases);
    all_complex_near(&each_alike::<X, X>(op, &complex_numbers(&a), &complex_numbers(&b)), &want);
}

fn whole_gradient_cases<X: Number<Wide = i128> + PartialEq + Debug>(op: Subject, cases: &[(i64, i64, i64)]) {
    let (a, b, want) = unzip(cases);
    assert_eq!(each_alike::<X, X>(op, &integers(a), &integers(b)), integers(want), "{}", X::TYPE);
}

/// The results for a vector. Checks that its first element alone and an empty tensor give the same.
fn each<X: Element, Y: Element>(op: Subject, x: &[X]) -> Vec<Y> {
    let list = op.one(&[], &[Tensor::of(&[x.len() as i32], x)], Y::TYPE);
    assert_eq!(list.shape(), [x.len() as i32]);
    let scalar = op.one(&[], &[Tensor::of(&[], &x[..1])], Y::TYPE);
    assert_eq!((scalar.shape(), scalar.bytes()), (&[][..], &list.bytes()[..size_of::<Y>()]));
    let empty = op.one(&[], &[Tensor::of::<X>(&[2, 0], &[])], Y::TYPE);
    assert_eq!(empty.shape(), [2, 0]);
    list.elements()
}

/// The results for pairs in two vectors of equal length.
fn each_alike<X: Element, Y: Element>(op: Subject, a: &[X], b: &[X]) -> Vec<Y> {
    let n = a.len() as i32;
    let list = op.one(&[], &[Tensor::of(&[n], a), Tensor::of(&[n], b)], Y::TYPE);
    assert_eq!(list.shape(), [n]);
    let scalar = op.one(&[], &[Tensor::of(&[], &a[..1]), Tensor::of(&[], &b[..1])], Y::TYPE);
    assert_eq!((scalar.shape(), scalar.bytes()), (&[][..], &list.bytes()[..size_of::<Y>()]));
    let nothing = Tensor::of::<X>(&[2, 0], &[]);
    assert_eq!(op.one(&[], &[nothing.clone(), nothing], Y::TYPE).shape(), [2, 0]);
    list.elements()
}

/// Like [`each_alike`], for a function that broadcasts.
fn each_pair<X: Element, Y: Element>(op: Subject, a: &[X], b: &[X]) -> Vec<Y> {
    let list = each_alike::<X, Y>(op, a, b);
    for (i, y) in list.iter().enumerate() {
        let (two, three) = (Tensor::of(&[2, 1], &[a[i]; 2]), Tensor::of(&[3], &[b[i]; 3]));
        assert_eq!(op.one(&[], &[two, three], Y::TYPE), Tensor::of(&[2, 3], &[*y; 6]).named("out0"));
    }
    let (nothing, scalar) = (Tensor::of::<X>(&[0], &[]), Tensor::of(&[], &b[..1]));
    assert_eq!(op.one(&[], &[nothing, scalar], Y::TYPE).shape(), [0]);
    let (two, three) = (Tensor::of(&[2], &[a[0]; 2]), Tensor::of(&[3], &[b[0]; 3]));
    assert_eq!(
        op.refusal(&[], &[two.clone(), three], &[Y::TYPE]),
        "inputs 'in0' [2] and 'in1' [3] do not broadcast; sizes must be equal or 1"
    );
    assert_eq!(
        op.refusal(&[], &[two, Tensor::strings(&[1], &["a"])], &[Y::TYPE]),
        format!("'in0' is {}, 'in1' is STRING; they must agree", X::TYPE)
    );
    list
}
