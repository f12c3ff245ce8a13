//! The worked examples of TensorFlow Lite's arena: their totals and offsets.

use arenite_abi::UsageRecord;
use arenite_planners::bound::lower_bound;
use arenite_planners::{arena, naive};

/// `(size, first, last)` without padding.
fn records(list: &[(u64, u32, u32)]) -> Vec<UsageRecord> {
    list.iter()
        .map(|&(size, first, last)| UsageRecord { alignment: 1, ..UsageRecord::new(size, first, last) })
        .collect()
}

/// The offsets and the size of the arena.
fn arena(records: &[UsageRecord]) -> (Vec<u64>, u64) {
    let mut offsets = vec![u64::MAX; records.len()];
    arena::place(records, &mut offsets).expect("good records");
    let ends = offsets.iter().zip(records).map(|(offset, record)| offset + record.size);
    let total = ends.max().unwrap_or(0);
    (offsets, total)
}

const END: u32 = UsageRecord::FOREVER;

/// An input, four diamonds of three 64-byte tensors (two branches and their sum), the last sum being the output. With
/// the input alive throughout and the output from the start, the arena needs in + out + max · (1 + branches).
#[test]
fn thirteen_tensors_of_two_branches() {
    let network = |output_from: u32| {
        let mut list = vec![(64, 0, END)];
        for diamond in 0..4 {
            let node = 3 * diamond;
            list.push((64, node, node + 2));
            list.push((64, node + 1, node + 2));
            list.push(if diamond == 3 { (64, output_from, END) } else { (64, node + 2, node + 4) });
        }
        records(&list)
    };
    let from_start = network(0);
    assert_eq!(naive::assign(&from_start).expect("good records").sizes.iter().sum::<u64>(), 832);
    assert_eq!(arena(&from_start).1, 320);
    assert_eq!(lower_bound(&from_start).expect("good records"), 320);
    assert_eq!(arena(&network(11)).1, 256);
}

/// Five tensors with i > v > ii > iv > iii. i, ii and iii are alive together, then iii, iv and v: v takes the place of
/// i, iv the place behind v, and the arena is i + ii + iii.
#[test]
fn five_tensors_reuse_two_places() {
    let (i, ii, iii, iv, v) = (500, 250, 150, 200, 400);
    let list = records(&[(i, 0, 1), (ii, 0, 1), (iii, 1, 2), (iv, 2, 3), (v, 2, 3)]);
    let (offsets, total) = arena(&list);
    assert_eq!(total, i + ii + iii);
    assert_eq!(total, 900);
    assert_eq!(offsets, [0, i, i + ii, v, 0]);
}

/// A small tensor fits into the gap that alignment leaves between two large ones.
#[test]
fn a_small_tensor_fits_into_a_gap() {
    let large = |size| UsageRecord::new(size, 0, 1);
    let small = UsageRecord { alignment: 4, ..UsageRecord::new(16, 0, 1) };
    let (offsets, total) = arena(&[large(100), large(90), small]);
    assert_eq!((offsets, total), (vec![0, 128, 100], 218));
}
