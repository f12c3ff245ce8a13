//! Tests the values of the functions.

use super::*;
use crate::kit::testing::elementwise::Case::*;
use crate::kit::testing::*;
use crate::kit::write::Attribute;
use arenite_abi::prelude::*;
use arenite_abi::testing::Tensor;

const CASES: CaseTable<'_> = &[
    (
        op::<Equal>(),
        &[Comparisons(&[
            (1.0, 2.0, false),
            (2.0, 1.0, false),
            (3.0, 3.0, true),
            (-1.0, 0.0, false),
            (0.0, -0.0, true),
            (-INF, INF, false),
            (NAN, NAN, false),
            (NAN, 1.0, false),
        ])],
    ),
    (
        op::<Greater>(),
        &[Comparisons(&[
            (1.0, 2.0, false),
            (2.0, 1.0, true),
            (3.0, 3.0, false),
            (-1.0, 0.0, false),
            (0.0, -0.0, false),
            (-INF, INF, false),
            (NAN, NAN, false),
            (NAN, 1.0, false),
        ])],
    ),
    (
        op::<GreaterEqual>(),
        &[Comparisons(&[
            (1.0, 2.0, false),
            (2.0, 1.0, true),
            (3.0, 3.0, true),
            (-1.0, 0.0, false),
            (0.0, -0.0, true),
            (-INF, INF, false),
            (NAN, NAN, false),
            (NAN, 1.0, false),
        ])],
    ),
    (
        op::<Less>(),
        &[Comparisons(&[
            (1.0, 2.0, true),
            (2.0, 1.0, false),
            (3.0, 3.0, false),
            (-1.0, 0.0, true),
            (0.0, -0.0, false),
            (-INF, INF, true),
            (NAN, NAN, false),
            (NAN, 1.0, false),
        ])],
    ),
    (
        op::<LessEqual>(),
        &[Comparisons(&[
            (1.0, 2.0, true),
            (2.0, 1.0, false),
            (3.0, 3.0, true),
            (-1.0, 0.0, true),
            (0.0, -0.0, true),
            (-INF, INF, true),
            (NAN, NAN, false),
            (NAN, 1.0, false),
        ])],
    ),
    (
        op::<NotEqual>(),
        &[Comparisons(&[
            (1.0, 2.0, true),
            (2.0, 1.0, true),
            (3.0, 3.0, false),
            (-1.0, 0.0, true),
            (0.0, -0.0, false),
            (-INF, INF, true),
            (NAN, NAN, true),
            (NAN, 1.0, true),
        ])],
    ),
];

#[test]
fn values() {
    check(NAMES, CASES);
}

#[test]
fn unordered_types_equal() {
    let tell = |a: Tensor, b: Tensor| one::<Equal>(&[], &[a, b], ElementType::Bool).as_bool();
    assert_eq!(tell(Tensor::bool(&[2], &[true, false]), Tensor::bool(&[], &[true])), [true, false]);
    let (a, b) = (Tensor::strings(&[3], &["a", "b", ""]), Tensor::strings(&[1], &["b"]));
    assert_eq!(tell(a, b), [false, true, false]);
    let z = [(1.0, 2.0), (1.0, -2.0), (f32::NAN, 0.0)].map(|(re, im)| Complex32 { re, im });
    assert_eq!(tell(Tensor::of(&[3], &z), Tensor::of(&[], &z[..1])), [true, false, false]);
    assert_eq!(tell(Tensor::of(&[], &z[2..]), Tensor::of(&[], &z[2..])), [false]);
}

#[test]
fn shapes_that_do_not_broadcast_equal() {
    let inputs = [Tensor::i32(&[2], &[1, 2]), Tensor::i32(&[3], &[1, 2, 3])];
    let lenient = [("incompatible_shape_error", Attribute::Bool(false))];
    let y = one::<Equal>(&lenient, &inputs, ElementType::Bool);
    assert_eq!((y.shape(), y.as_bool()), (&[][..], vec![false]));
    assert_eq!(
        refusal::<Equal>(&[], &inputs, &[ElementType::Bool]),
        "inputs 'in0' [2] and 'in1' [3] do not broadcast; sizes must be equal or 1"
    );
}

#[test]
fn unordered_types_not_equal() {
    let tell = |a: Tensor, b: Tensor| one::<NotEqual>(&[], &[a, b], ElementType::Bool).as_bool();
    assert_eq!(tell(Tensor::bool(&[2], &[true, false]), Tensor::bool(&[], &[true])), [false, true]);
    let (a, b) = (Tensor::strings(&[3], &["a", "b", ""]), Tensor::strings(&[1], &["b"]));
    assert_eq!(tell(a, b), [true, false, true]);
    let z = [(1.0, 2.0), (1.0, -2.0), (f32::NAN, 0.0)].map(|(re, im)| Complex32 { re, im });
    assert_eq!(tell(Tensor::of(&[3], &z), Tensor::of(&[], &z[..1])), [false, true, true]);
    assert_eq!(tell(Tensor::of(&[], &z[2..]), Tensor::of(&[], &z[2..])), [true]);
}

#[test]
fn shapes_that_do_not_broadcast_not_equal() {
    let inputs = [Tensor::i32(&[2], &[1, 2]), Tensor::i32(&[3], &[1, 2, 3])];
    let lenient = [("incompatible_shape_error", Attribute::Bool(false))];
    let y = one::<NotEqual>(&lenient, &inputs, ElementType::Bool);
    assert_eq!((y.shape(), y.as_bool()), (&[][..], vec![true]));
    assert_eq!(
        refusal::<NotEqual>(&[], &inputs, &[ElementType::Bool]),
        "inputs 'in0' [2] and 'in1' [3] do not broadcast; sizes must be equal or 1"
    );
}
