//! `exact` compared with all plans of tiny problems and with every other strategy, and on problems known to be hard.

mod strategies;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arenite_abi::UsageRecord;
use arenite_planners::bound::lower_bound;
use arenite_planners::exact::{Limits, Outcome, solve};
use proptest::prelude::*;
use strategies::{STRATEGIES, total};

/// Checks everything that a plan claims: offsets, alignment, fixed offsets, no overlap, total, bound.
fn check(records: &[UsageRecord], outcome: &Outcome) {
    assert_eq!(outcome.offsets.len(), records.len());
    for (i, (a, &at)) in records.iter().zip(&outcome.offsets).enumerate() {
        assert!(at.is_multiple_of(a.alignment), "record {i} at {at}");
        assert!(a.fixed().is_none_or(|fixed| fixed == at), "record {i} moved to {at}");
        for (j, (b, &other)) in records.iter().zip(&outcome.offsets).enumerate().take(i) {
            let apart = at + a.size <= other || other + b.size <= at || a.size == 0 || b.size == 0;
            assert!(apart || !a.overlaps(b), "records {i} at {at} and {j} at {other} overlap");
        }
    }
    assert_eq!(outcome.total, total(records, &outcome.offsets));
    assert!(lower_bound(records).expect("good records") <= outcome.lower_bound);
    assert!(outcome.lower_bound <= outcome.total);
}

/// The bytes of the best plan, by trying all orders: if the items of the best plan are placed from the lowest to the
/// highest, each as low as possible, none ends up higher than in that plan.
fn best_of_all_orders(records: &[UsageRecord]) -> u64 {
    fn lowest(records: &[UsageRecord], offsets: &[Option<u64>], i: usize) -> u64 {
        let record = &records[i];
        let placed = || (0..records.len()).filter_map(|j| Some((&records[j], offsets[j]?)));
        let others = || placed().filter(|(other, _)| other.overlaps(record));
        let starts = others().map(|(other, at)| (at + other.size).next_multiple_of(record.alignment));
        let fits =
            |start: &u64| others().all(|(other, at)| start + record.size <= at || at + other.size <= *start);
        starts.chain([0]).filter(fits).min().expect("above every tensor")
    }
    fn best(records: &[UsageRecord], offsets: &mut Vec<Option<u64>>, height: u64, least: &mut u64) {
        if height >= *least {
            return;
        }
        let mut is_complete = true;
        for i in 0..records.len() {
            if offsets[i].is_none() {
                is_complete = false;
                let at = lowest(records, offsets, i);
                offsets[i] = Some(at);
                best(records, offsets, height.max(at + records[i].size), least);
                offsets[i] = None;
            }
        }
        if is_complete {
            *least = height;
        }
    }
    let records: Vec<UsageRecord> = records.iter().copied().filter(|record| record.size > 0).collect();
    let mut offsets: Vec<Option<u64>> = records.iter().map(UsageRecord::fixed).collect();
    let height = records.iter().filter_map(|record| Some(record.fixed()? + record.size)).max().unwrap_or(0);
    let mut least = u64::MAX;
    best(&records, &mut offsets, height, &mut least);
    least
}

/// Up to `count` records, several of them alive at each node. A few fixed ones are in separate ranges, so that they do
/// not overlap each other.
fn records(count: usize) -> impl Strategy<Value = Vec<UsageRecord>> {
    let sizes = prop_oneof![Just(4u64), Just(9), Just(40)];
    let logs = prop_oneof![3 => Just(0u32), 1 => 1..4u32];
    (sizes, logs, 1u32..5, 3u32..9).prop_flat_map(move |(most, logs, length, nodes)| {
        let record = (0..=most, 0..=logs, 0..nodes, 0..=length).prop_map(|(size, log, first, length)| {
            UsageRecord { alignment: 1 << log, ..UsageRecord::new(size, first, first + length) }
        });
        let fixed = prop_oneof![2 => Just(0usize), 1 => 1usize..3];
        (prop::collection::vec(record, 1..=count), fixed).prop_map(|(mut records, fixed)| {
            for (lane, record) in records.iter_mut().enumerate().take(fixed) {
                record.fixed_offset =
                    (lane as u64 * 56 + u64::from(record.first_node) * 3).next_multiple_of(record.alignment);
            }
            records
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_order_of_few_records_needs_less_memory(records in records(6)) {
        let outcome = solve(&records, &Limits::default()).expect("good records");
        check(&records, &outcome);
        prop_assert!(outcome.is_optimal());
        prop_assert_eq!(outcome.total, best_of_all_orders(&records), "{:?}", outcome.offsets);
    }

    #[test]
    fn a_capacity_that_just_fits_and_one_that_does_not(records in records(9)) {
        let best = solve(&records, &Limits::default()).expect("good records");
        prop_assert!(best.is_optimal());
        let of = |capacity| solve(&records, &Limits { capacity: Some(capacity), ..Limits::default() });
        let outcome = of(best.total).expect("it fits");
        check(&records, &outcome);
        prop_assert_eq!(outcome.total, best.total);
        if best.total > 0 {
            let message = of(best.total - 1).expect_err("it does not fit").message().to_owned();
            prop_assert!(message.starts_with(&format!("no plan fits into {} bytes: ", best.total - 1)), "{}", message);
        }
    }

    #[test]
    fn no_strategy_needs_less_memory(records in records(30)) {
        let limits = Limits { steps: Some(1 << 22), ..Limits::default() };
        let outcome = solve(&records, &limits).expect("good records");
        check(&records, &outcome);
        prop_assert_eq!(&outcome, &solve(&records, &limits).expect("good records"), "not deterministic");
        for (name, answer) in STRATEGIES {
            let other = total(&records, &answer.offsets(&records));
            prop_assert!(outcome.lower_bound <= other, "{}: {} < {}", name, other, outcome.lower_bound);
            prop_assert!(outcome.total <= other || !outcome.is_optimal(), "{}: {} < {}", name, other, outcome.total);
        }
    }
}

/// The table of a hard problem in `../shared/planner` or `ARENITE_SHARED`. Prints a note and returns `None` if it does
/// not exist.
fn challenging(name: &str) -> Option<Vec<UsageRecord>> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("ARENITE_SHARED").map_or(default, PathBuf::from);
    let file = folder.join(format!("planner/challenging/{name}.csv"));
    let Ok(table) = std::fs::read_to_string(&file) else {
        println!("skipped: {} does not exist; set ARENITE_SHARED to the corpora", file.display());
        return None;
    };
    let record = |line: &str| {
        let numbers = line.split(',').skip(1).map(|field| field.trim().parse().expect("a number"));
        let [lower, upper, size] = numbers.collect::<Vec<u64>>()[..] else { panic!("four fields: {line}") };
        UsageRecord { alignment: 1, ..UsageRecord::new(size, lower as u32, upper as u32 - 1) }
    };
    Some(table.lines().skip(1).map(record).collect())
}

/// The instances of the MiniMalloc paper.
#[test]
fn challenging_problems_fit_into_a_mebibyte() {
    for name in ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K"] {
        let Some(records) = challenging(&format!("{name}.1048576")) else { return };
        let start = Instant::now();
        let limits = Limits { capacity: Some(1 << 20), steps: Some(1 << 31), ..Limits::default() };
        let outcome = solve(&records, &limits).expect("a plan");
        println!("{name}: {} bytes in {} steps, {:.2?}", outcome.total, outcome.steps, start.elapsed());
        check(&records, &outcome);
        assert!(outcome.total <= 1 << 20);
    }
}

#[test]
fn the_smallest_plan_of_challenging_problems() {
    for (name, least) in [("B", 1 << 20), ("C", 1_039_360), ("H", 1 << 20)] {
        let Some(records) = challenging(&format!("{name}.1048576")) else { return };
        let outcome = solve(&records, &Limits::default()).expect("a plan");
        check(&records, &outcome);
        assert_eq!((outcome.total, outcome.lower_bound), (least, least), "{name}");
    }
}

/// Cuts a rectangle of `nodes` by `height` into `count` pieces, which fill it without a gap.
fn puzzle(count: usize, nodes: u32, height: u64, mut random: u64) -> Vec<UsageRecord> {
    let mut below = |end: u64| {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (random >> 33) % end
    };
    let mut pieces = vec![(0, nodes, height)];
    while pieces.len() < count {
        let i = below(pieces.len() as u64) as usize;
        let (first, end, size) = pieces[i];
        if below(2) == 0 && end - first > 1 {
            let cut = first + 1 + below(u64::from(end - first - 1)) as u32;
            pieces[i] = (first, cut, size);
            pieces.push((cut, end, size));
        } else if size > 1 {
            let cut = 1 + below(size - 1);
            pieces[i] = (first, end, cut);
            pieces.push((first, end, size - cut));
        }
    }
    let record = |(first, end, size)| UsageRecord { alignment: 1, ..UsageRecord::new(size, first, end - 1) };
    pieces.into_iter().map(record).collect()
}

#[test]
fn puzzles_are_solved_without_a_gap() {
    for random in 0..40 {
        let records = puzzle(60, 20, 1000, random);
        let outcome = solve(&records, &Limits::default()).expect("good records");
        check(&records, &outcome);
        assert_eq!(outcome.total, 1000, "puzzle {random}, {} steps", outcome.steps);
    }
}

/// 400 pieces are too many to solve. The search ends in time, and its bound is valid.
#[test]
fn limits_of_time_and_steps_are_respected() {
    let records = puzzle(400, 130, 1000, 7);
    let start = Instant::now();
    let limits = Limits { nanos: Some(200_000_000), ..Limits::default() };
    let outcome = solve(&records, &limits).expect("good records");
    check(&records, &outcome);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(outcome.lower_bound, 1000);
    for steps in [0, 1, 1000, 1_000_000, 10_000_000] {
        let outcome =
            solve(&records, &Limits { steps: Some(steps), ..Limits::default() }).expect("good records");
        check(&records, &outcome);
        assert!(outcome.steps <= steps + 1_000_000, "{} of {steps}", outcome.steps);
    }
    let limits = Limits { capacity: Some(1000), steps: Some(100_000), ..Limits::default() };
    let message = solve(&records, &limits).expect_err("not so soon").message().to_owned();
    assert!(message.starts_with("no plan that fits into 1000 bytes was found in "), "{message}");
}

/// Huge sizes, many records, strict alignment: a result or an error, in reasonable time.
#[test]
fn hostile_records() {
    let limits = Limits { steps: Some(1 << 24), ..Limits::default() };
    let of = |records: &[UsageRecord]| solve(records, &limits);
    let huge = UsageRecord::new(u64::MAX / 2, 0, 5);
    assert!(of(&[huge, huge, huge]).expect_err("too much").message().contains("more than 2^64"));
    assert_eq!(
        of(&[huge, UsageRecord { first_node: 6, last_node: 9, ..huge }]).expect("one at a time").total,
        u64::MAX / 2
    );
    let strict = UsageRecord { alignment: 1 << 63, ..UsageRecord::new(1, 0, 5) };
    assert_eq!(of(&[strict, strict]).expect("two delegates").total, (1 << 63) + 1);
    assert!(of(&[strict, strict, strict]).is_err());
    let many = |last: fn(u32) -> u32| -> Vec<UsageRecord> {
        (0..20_000).map(|i| UsageRecord::new(u64::from(i * 7919 % 1000), i, last(i))).collect()
    };
    for last in [|_| UsageRecord::FOREVER, |i: u32| 40_000 - i, |i: u32| i + i % 7, |i: u32| i + 500] {
        let records = many(last);
        let outcome = of(&records).expect("good records");
        assert!(outcome.lower_bound <= outcome.total);
    }
    let records = &many(|i| i + 900)[..4000];
    check(records, &of(records).expect("good records"));
}

#[test]
fn overlapping_fixed_records_are_refused() {
    let at = |offset, first, last| UsageRecord { fixed_offset: offset, ..UsageRecord::new(100, first, last) };
    let apart = [at(0, 0, 1), at(128, 0, 9), at(64, 2, 2), at(256, 2, 3)];
    let message = solve(&apart, &Limits::default()).expect_err("two overlap").message().to_owned();
    assert_eq!(message, "records 1 and 2 are alive together, but overlap at their fixed offsets 128 and 64");
    let outcome = solve(&apart[..2], &Limits::default()).expect("the tensors do not overlap");
    assert_eq!((outcome.offsets, outcome.total), (vec![0, 128], 228));
}
