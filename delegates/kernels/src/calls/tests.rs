//! Safe calls with too little memory panic, also if a product of their arguments overflows.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use crate::fixed_point::Factor;
use crate::int_fold::IntFolds;
use crate::isa::Isa;
use crate::requantize::{Channel, Channels};
use crate::transpose::Transpose;
use crate::u8_pair::Way;

/// `(ROWS − 1) · STRIDE` is 2⁶⁴ + 2²⁰, which wraps to the number of elements that exist.
const ROWS: usize = (1 << 20) + 1;
const STRIDE: usize = (1 << 44) + 1;
const TOO_MANY: StridedRows = StridedRows { count: ROWS, stride: STRIDE };

/// The message with which a call panics.
fn refused<R>(call: impl FnOnce() -> R) -> String {
    let payload = catch_unwind(AssertUnwindSafe(call)).err().expect("the call panics");
    payload.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic without a message".into())
}

#[test]
fn rows_that_wrap_around_the_address_space_panic() {
    let (floats, bytes) = (vec![0f32; ROWS + 8], vec![0u8; ROWS + 8]);
    let folds = Folds::select(Isa::ALL);
    let (mut y, mut sums) = ([0f32; 8], [0i32; 8]);
    let said = [
        refused(|| {
            let (x, y) = (Source::of(&floats), &mut Target::of(&mut y));
            folds.down(Reduction::Sum, TOO_MANY, x, y);
        }),
        refused(|| folds.rows(Reduction::Sum, usize::MAX / 2, Source::of(&floats), &mut Target::of(&mut y))),
        refused(|| IntFolds::select(Isa::ALL).bytes.rows_added(Source::of(&bytes), TOO_MANY, 0, &mut sums)),
        refused(|| {
            let mut target = vec![0u8; ROWS + 8];
            Target::of(&mut target).share().tile(0, [ROWS, STRIDE, 8]);
        }),
    ];
    for said in said {
        assert!(said.starts_with(&format!("{} elements from 0 on, of 0..", usize::MAX)), "{said}");
    }
    let mut to = vec![0u32; 64];
    let said = refused(|| Transpose::words(Isa::ALL).slices((&[0; 64], 1 << 63), (&mut to, 8), [3, 8]));
    assert!(said.starts_with("3 rows of 8 in 64 and 64"), "{said}");
}

#[test]
fn rows_within_the_memory_are_folded() {
    let x: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let folds = Folds::select(Isa::ALL);
    let mut y = [0f32; 3];
    folds.down(Reduction::Sum, StridedRows { count: 3, stride: 4 }, Source::of(&x), &mut Target::of(&mut y));
    assert_eq!(y, [12.0, 15.0, 18.0]);
    folds.rows(Reduction::Max, 4, Source::of(&x), &mut Target::of(&mut y));
    assert_eq!(y, [3.0, 7.0, 11.0]);
    folds.down(Reduction::Sum, StridedRows { count: 0, stride: 4 }, Source::NONE, &mut Target::of(&mut y));
    assert_eq!(y, [0.0; 3]);
    let mut sums = [1i32; 2];
    let rows = StridedRows { count: 2, stride: 3 };
    IntFolds::select(Isa::ALL).bytes.rows_added(Source::of(&[1, 2, 3, 4, 5]), rows, 0, &mut sums);
    assert_eq!(sums, [1 + 1 + 4, 1 + 2 + 5]);
}

#[test]
fn a_pair_needs_complete_blocks_of_its_members_lanes() {
    let bytes = Bytes { zero_point: 0, low: 0, high: 255, flip: 0 };
    let factor = Factor { left: 0, value: 1 << 30, rounding: 1 << 29, shift: 30, is_away: false };
    let of = |lanes: usize, count: usize| {
        Channels::new(lanes, &vec![Channel { bias: 0, factor }; count * lanes], bytes)
    };
    let pairs = Pairs::select(Isa::ALL);
    let (whole, wide, none) = (of(pairs.lanes, 1), of(2 * pairs.lanes, 1), of(pairs.lanes, 0));
    for other in [&wide, &none] {
        let said = refused(|| Pair::new([&whole, other, &whole], Way::Plain, 0, bytes));
        assert_eq!(said, format!("blocks of a, b and y for {} lanes", pairs.lanes));
    }
    let combine = |blocks| {
        let (pair, mut y) = (Pair::new(blocks, Way::Plain, 0, bytes), [0; 4]);
        let [a, b] = [[1, 2, 3, 4], [10, 20, 30, 40]];
        pairs.combined(Combine::Add, &pair, [Source::of(&a), Source::of(&b)], &mut Target::of(&mut y));
        y
    };
    assert_eq!(combine([&whole; 3]), [11, 22, 33, 44]);
    let said = refused(|| combine([&wide; 3]));
    assert!(said.contains("the pair's blocks have another number of lanes"), "{said}");
}

/// Selecting with more features than the machine has returns members that the machine can run.
#[test]
fn members_need_no_more_than_the_machine_has() {
    let machine = Isa::machine();
    assert!(machine.has(Folds::select(Isa::ALL).isa) && machine.has(Pairs::select(Isa::ALL).isa));
    assert!(Folds::available().chain([Folds::select(Isa::ALL)]).all(|folds| machine.has(folds.isa)));
    assert_eq!(
        Folds::available().count(),
        crate::f32_fold::TABLE.iter().filter(|folds| machine.has(folds.isa)).count()
    );
    let width = |transpose: &Transpose| machine.has(transpose.isa);
    assert!([1, 2, 4, 8, 16].into_iter().filter_map(|size| Transpose::select(Isa::ALL, size)).all(width));
}
