//! Compares broadcasting on random shapes with straightforward index arithmetic that shares no code with the kit.
//!
//! ```text
//! y[i] = f(a[ia], b[ib])      coordinates aligned at the last axis; an axis of size 1 counts as coordinate 0
//! ```

use arenite_abi::Op;
use arenite_abi::testing::{OpTest, Spec, Tensor};
use arenite_ops::{add, less, maximum, mul, select_v2, sub};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};

type Shape = Vec<i32>;

/// A fixed seed, so that every run has the same cases.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 256,
        rng_seed: RngSeed::Fixed(0x5eed),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    prop::collection::vec(prop_oneof![1 => Just(0), 3 => Just(1), 6 => 2i32..=4], 0..=6)
}

/// Shapes that broadcast to one shape: each lacks some leading axes, and others have size 1. Sometimes one of them is
/// drawn independently, and then rarely broadcasts.
fn shapes<const N: usize>() -> impl Strategy<Value = [Shape; N]> {
    let input = (0usize..=6, any::<u8>(), prop_oneof![3 => Just(None), 1 => shape().prop_map(Some)]);
    (shape(), prop::collection::vec(input, N)).prop_map(|(whole, inputs)| {
        core::array::from_fn(|n| {
            let (missing, ones, own) = &inputs[n];
            let axes = whole.iter().enumerate().skip(missing % (whole.len() + 1));
            let cut = axes.map(|(axis, &size)| if ones >> axis & 1 == 1 { 1 } else { size });
            own.clone().unwrap_or_else(|| cut.collect())
        })
    })
}

fn count(shape: &[i32]) -> usize {
    shape.iter().map(|&size| size as usize).product()
}

/// The size of an axis that is counted from the last one.
fn size_from_end(shape: &[i32], axis: usize) -> i32 {
    if axis < shape.len() { shape[shape.len() - 1 - axis] } else { 1 }
}

/// The shape that all of them broadcast to.
fn joint(shapes: &[Shape]) -> Option<Shape> {
    let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
    let mut joint = vec![1; rank];
    for axis in 0..rank {
        for size in shapes.iter().map(|shape| size_from_end(shape, axis)).filter(|&size| size != 1) {
            let to = &mut joint[rank - 1 - axis];
            if *to != 1 && *to != size {
                return None;
            }
            *to = size;
        }
    }
    Some(joint)
}

/// The index of the element of `input` that corresponds to element `i` of `output`.
fn index(input: &[i32], output: &[i32], i: usize) -> usize {
    let (mut rest, mut stride, mut index) = (i, 1, 0);
    for axis in 0..output.len() {
        let size = size_from_end(output, axis) as usize;
        let coordinate = rest % size;
        rest /= size;
        let own = size_from_end(input, axis) as usize;
        if own != 1 {
            index += coordinate * stride;
        }
        stride *= own;
    }
    index
}

/// Integers from -8 to 8, so that all results are exact.
fn numbers(count: usize, salt: usize) -> Vec<f32> {
    (0..count).map(|i| ((i + salt) * 7919 % 17) as f32 - 8.0).collect()
}

/// Compares the op's results with the expected ones.
fn check<O: Op, Y: Copy + PartialEq + core::fmt::Debug>(
    [a, b]: &[Shape; 2],
    spec: Spec,
    read: impl Fn(&Tensor) -> Vec<Y>,
    f: impl Fn(f32, f32) -> Y,
) -> Result<(), TestCaseError> {
    let (x, z) = (numbers(count(a), 3), numbers(count(b), 11));
    let test = OpTest::<O>::new().input(Tensor::f32(a, &x)).input(Tensor::f32(b, &z)).output(spec);
    match (joint(&[a.clone(), b.clone()]), test.run()) {
        (Some(shape), Ok(y)) => {
            let want: Vec<Y> =
                (0..count(&shape)).map(|i| f(x[index(a, &shape, i)], z[index(b, &shape, i)])).collect();
            prop_assert_eq!(y[0].shape(), &shape[..]);
            prop_assert_eq!(read(&y[0]), want);
        }
        (None, Err(error)) => prop_assert!(error.message().contains("do not broadcast"), "{}", error),
        (want, got) => prop_assert!(false, "{:?} and {:?}: {:?}, got {:?}", a, b, want, got),
    }
    Ok(())
}

fn check_select([c, a, b]: &[Shape; 3]) -> Result<(), TestCaseError> {
    let joint = joint(&[c.clone(), a.clone(), b.clone()]);
    let condition: Vec<bool> = numbers(count(c), 5).iter().map(|x| *x < 1.0).collect();
    let (x, z) = (numbers(count(a), 3), numbers(count(b), 11));
    let test = OpTest::<select_v2::SelectV2>::new()
        .input(Tensor::bool(c, &condition))
        .input(Tensor::f32(a, &x))
        .input(Tensor::f32(b, &z))
        .output(Spec::f32().shape(joint.as_deref().unwrap_or(&[0])));
    match (joint, test.run()) {
        (Some(shape), Ok(y)) => {
            let want: Vec<f32> = (0..count(&shape))
                .map(|i| match condition[index(c, &shape, i)] {
                    true => x[index(a, &shape, i)],
                    false => z[index(b, &shape, i)],
                })
                .collect();
            prop_assert_eq!(y[0].shape(), &shape[..]);
            prop_assert_eq!(y[0].as_f32(), want);
        }
        (None, Err(error)) => prop_assert!(error.message().contains("do not broadcast"), "{}", error),
        (want, got) => prop_assert!(false, "{:?}, {:?}, {:?}: {:?}, got {:?}", c, a, b, want, got),
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn two_inputs(shapes in shapes::<2>()) {
        check::<add::Add, f32>(&shapes, Spec::f32(), Tensor::as_f32, |a, b| a + b)?;
        check::<sub::Sub, f32>(&shapes, Spec::f32(), Tensor::as_f32, |a, b| a - b)?;
        check::<mul::Mul, f32>(&shapes, Spec::f32(), Tensor::as_f32, |a, b| a * b)?;
        check::<maximum::Maximum, f32>(&shapes, Spec::f32(), Tensor::as_f32, f32::max)?;
        check::<less::Less, bool>(&shapes, Spec::bool(), Tensor::as_bool, |a, b| a < b)?;
    }

    #[test]
    fn three_inputs(shapes in shapes::<3>()) {
        check_select(&shapes)?;
    }
}

/// The strategies must cover the cases of the tests: both kinds of shapes, and repeated axes.
#[test]
fn random_shapes_cover_every_kind() {
    let (mut fit, mut clash, mut repeat, mut empty) = (0, 0, 0, 0);
    let mut runner = TestRunner::new(config());
    for _ in 0..200 {
        let [a, b] = shapes::<2>().new_tree(&mut runner).unwrap().current();
        match joint(&[a.clone(), b.clone()]) {
            None => clash += 1,
            Some(shape) => {
                fit += 1;
                repeat += i32::from(shape != a && shape != b);
                empty += i32::from(shape.contains(&0));
            }
        }
    }
    assert!(fit > 50 && clash > 10 && repeat > 10 && empty > 10, "{fit} {clash} {repeat} {empty}");
}
