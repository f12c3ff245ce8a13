//! Compares the reducing ops, on random shapes, axes and elements, with straightforward formulas.

use arenite_abi::schema::{ArgMaxOptions, CumsumOptions, OptionsTable, ReducerOptions};
use arenite_abi::testing::{OpTest, OptionsBuilder, Spec, Tensor};
use arenite_abi::{ElementType, Op, Result};
use arenite_ops::arg_max::ArgMax;
use arenite_ops::cumsum::Cumsum;
use arenite_ops::mean::Mean;
use arenite_ops::reduce_any::ReduceAny;
use arenite_ops::reduce_max::ReduceMax;
use arenite_ops::sum::Sum;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A tensor of integers, and the reduction to apply.
#[derive(Clone, Debug)]
struct Case {
    shape: Vec<i32>,
    x: Vec<i32>,
    /// The axes, which may be negative or repeated.
    axes: Vec<i32>,
    keep_dims: bool,
    /// Whether the axes are constant.
    known: bool,
}

fn cases() -> impl Strategy<Value = Case> {
    let shape = prop::collection::vec(prop_oneof![1 => Just(0), 12 => 1i32..5], 0..=5);
    let filled = shape.prop_flat_map(|shape| {
        let count = shape.iter().product::<i32>() as usize;
        let element = prop_oneof![8 => -9i32..10, 1 => any::<i32>()];
        let rank = shape.len().max(1) as i32;
        (Just(shape), prop::collection::vec(element, count), prop::collection::vec(-rank..rank, 0..=7))
    });
    (filled, any::<bool>(), any::<bool>()).prop_map(|((shape, x, axes), keep_dims, known)| Case {
        shape,
        x,
        axes,
        keep_dims,
        known,
    })
}

impl Case {
    fn reduced(&self, axis: usize) -> bool {
        let rank = self.shape.len() as i32;
        self.axes.iter().any(|&a| (if a < 0 { a + rank } else { a }) == axis as i32)
    }

    fn output_shape(&self) -> Vec<i32> {
        let sizes = self.shape.iter().enumerate();
        let kept = sizes.map(|(axis, &size)| (self.reduced(axis), size));
        match self.keep_dims {
            true => kept.map(|(reduced, size)| if reduced { 1 } else { size }).collect(),
            false => kept.filter(|(reduced, _)| !reduced).map(|(_, size)| size).collect(),
        }
    }

    /// The positions in `x` that each output element is reduced from, in order.
    fn groups(&self) -> Vec<Vec<usize>> {
        let kept: Vec<i32> =
            (0..self.shape.len()).map(|axis| if self.reduced(axis) { 1 } else { self.shape[axis] }).collect();
        let inputs = coordinates(&self.shape);
        let belongs = |input: &[i32], output: &[i32]| {
            (0..input.len()).all(|axis| self.reduced(axis) || input[axis] == output[axis])
        };
        coordinates(&kept)
            .iter()
            .map(|output| (0..inputs.len()).filter(|&i| belongs(&inputs[i], output)).collect())
            .collect()
    }

    fn run<O: Op>(&self, x: Tensor) -> Tensor {
        let options = |o: OptionsBuilder<_>| o.set(ReducerOptions::KEEP_DIMS, self.keep_dims);
        let test = OpTest::<O>::new().options(options).output(Spec::of(x.ty())).input(x);
        let axes = Tensor::i32(&[self.axes.len() as i32], &self.axes);
        let test = if self.known { test.constant(axes) } else { test.input(axes) };
        test.run().unwrap().remove(0)
    }

    /// The first axis of the list, if the shape has any.
    fn axis(&self) -> Option<(i32, usize)> {
        let (&axis, rank) = (self.axes.first()?, self.shape.len() as i32);
        (rank > 0).then(|| (axis, (axis + rank) as usize % rank as usize))
    }

    /// Runs an op that has a single axis.
    fn run_along<O: Op, T: OptionsTable>(
        &self,
        x: Tensor,
        axis: i32,
        y: ElementType,
        options: impl FnOnce(OptionsBuilder<T>) -> OptionsBuilder<T>,
    ) -> Result<Tensor> {
        let test = OpTest::<O>::new().options(options).output(Spec::of(y)).input(x);
        let axis = Tensor::i32(&[1], &[axis]);
        let test = if self.known { test.constant(axis) } else { test.input(axis) };
        test.run().map(|mut y| y.remove(0))
    }

    /// Multiples of 1/4, whose sums are exact.
    fn floats(&self) -> Vec<f32> {
        self.x.iter().map(|&x| (x % 1024) as f32 * 0.25).collect()
    }

    fn bools(&self) -> Vec<bool> {
        self.x.iter().map(|&x| x > 5).collect()
    }
}

/// All coordinates of a shape; the last axis varies fastest.
fn coordinates(shape: &[i32]) -> Vec<Vec<i32>> {
    shape.iter().fold(vec![vec![]], |prefixes, &size| {
        let longer = |prefix: Vec<i32>| (0..size).map(move |i| [prefix.clone(), vec![i]].concat());
        prefixes.into_iter().flat_map(longer).collect()
    })
}

/// The index of these coordinates in a tensor.
fn position(shape: &[i32], at: &[i32]) -> usize {
    shape.iter().zip(at).fold(0, |position, (&size, &i)| position * size as usize + i as usize)
}

/// The indices of all elements along `axis` through `at`.
fn line(shape: &[i32], at: &[i32], axis: usize) -> Vec<usize> {
    let moved = |i: i32| [&at[..axis], &[i], &at[axis + 1..]].concat();
    (0..shape[axis]).map(|i| position(shape, &moved(i))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        rng_seed: RngSeed::Fixed(0x7ed0ce),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn sums(case in cases()) {
        let (floats, groups) = (case.floats(), case.groups());
        let y = case.run::<Sum>(Tensor::f32(&case.shape, &floats));
        prop_assert_eq!(y.shape(), case.output_shape());
        let want: Vec<f32> = groups.iter().map(|group| group.iter().map(|&i| floats[i]).sum()).collect();
        prop_assert_eq!(y.as_f32(), want);
        let y = case.run::<Sum>(Tensor::i32(&case.shape, &case.x));
        let sum = |group: &Vec<usize>| group.iter().map(|&i| i64::from(case.x[i])).sum::<i64>() as i32;
        prop_assert_eq!(y.as_i32(), groups.iter().map(sum).collect::<Vec<_>>());
    }

    #[test]
    fn maxima(case in cases()) {
        let groups = case.groups();
        let y = case.run::<ReduceMax>(Tensor::i32(&case.shape, &case.x));
        prop_assert_eq!(y.shape(), case.output_shape());
        let max = |group: &Vec<usize>| group.iter().map(|&i| case.x[i]).max().unwrap_or(i32::MIN);
        prop_assert_eq!(y.as_i32(), groups.iter().map(max).collect::<Vec<_>>());
        let floats = case.floats();
        let y = case.run::<ReduceMax>(Tensor::f32(&case.shape, &floats));
        let max = |group: &Vec<usize>| group.iter().map(|&i| floats[i]).fold(f32::MIN, f32::max);
        prop_assert_eq!(y.as_f32(), groups.iter().map(max).collect::<Vec<_>>());
    }

    #[test]
    fn any_of(case in cases()) {
        let bools = case.bools();
        let y = case.run::<ReduceAny>(Tensor::bool(&case.shape, &bools));
        prop_assert_eq!(y.shape(), case.output_shape());
        let any = |group: &Vec<usize>| group.iter().any(|&i| bools[i]);
        prop_assert_eq!(y.as_bool(), case.groups().iter().map(any).collect::<Vec<_>>());
    }

    #[test]
    fn means(case in cases()) {
        let (floats, groups) = (case.floats(), case.groups());
        let y = case.run::<Mean>(Tensor::f32(&case.shape, &floats));
        prop_assert_eq!(y.shape(), case.output_shape());
        for (y, group) in y.as_f32().iter().zip(&groups) {
            let want = group.iter().map(|&i| floats[i]).sum::<f32>() / group.len() as f32;
            prop_assert!(*y == want || (y.is_nan() && group.is_empty()), "{} is not {}", y, want);
        }
        let y = case.run::<Mean>(Tensor::i32(&case.shape, &case.x));
        let mean = |group: &Vec<usize>| {
            group.iter().map(|&i| i64::from(case.x[i])).sum::<i64>() / group.len().max(1) as i64
        };
        prop_assert_eq!(y.as_i32(), groups.iter().map(|group| mean(group) as i32).collect::<Vec<_>>());
    }

    #[test]
    fn running_sums(case in cases(), exclusive: bool, reverse: bool) {
        let Some((wanted, axis)) = case.axis() else { return Ok(()) };
        let options = |o: OptionsBuilder<_>| {
            o.set(CumsumOptions::EXCLUSIVE, exclusive).set(CumsumOptions::REVERSE, reverse)
        };
        let x = Tensor::i32(&case.shape, &case.x);
        let y = case.run_along::<Cumsum, _>(x, wanted, ElementType::I32, options).unwrap();
        prop_assert_eq!(y.shape(), &case.shape);
        let want = coordinates(&case.shape).into_iter().map(|at| {
            let counts = |i: i32| match (exclusive, reverse) {
                (false, false) => i <= at[axis],
                (true, false) => i < at[axis],
                (false, true) => i >= at[axis],
                (true, true) => i > at[axis],
            };
            let line = line(&case.shape, &at, axis);
            let summands = (0..).zip(line).filter(|&(i, _)| counts(i)).map(|(_, at)| i64::from(case.x[at]));
            summands.sum::<i64>() as i32
        });
        prop_assert_eq!(y.as_i32(), want.collect::<Vec<_>>());
    }

    #[test]
    fn places_of_the_largest(case in cases()) {
        let Some((wanted, axis)) = case.axis() else { return Ok(()) };
        let floats = case.floats();
        let x = Tensor::f32(&case.shape, &floats);
        let y = case.run_along::<ArgMax, _>(x, wanted, ElementType::I64, |o| {
            o.set(ArgMaxOptions::OUTPUT_TYPE, ElementType::I64 as i8)
        });
        if case.shape[axis] == 0 {
            prop_assert!(y.is_err());
            return Ok(());
        }
        let (y, mut without) = (y.unwrap(), case.shape.clone());
        without.remove(axis);
        prop_assert_eq!(y.shape(), &without);
        let want = coordinates(&without).into_iter().map(|mut at| {
            at.insert(axis, 0);
            let line = line(&case.shape, &at, axis);
            let largest = line.iter().map(|&i| floats[i]).fold(f32::MIN, f32::max);
            line.iter().position(|&i| floats[i] == largest).unwrap() as i64
        });
        prop_assert_eq!(y.as_i64(), want.collect::<Vec<_>>());
    }
}
