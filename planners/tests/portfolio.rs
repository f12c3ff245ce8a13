//! `portfolio` reaches the bound on networks of many kinds, respects its limits, and is deterministic.

mod strategies;

use arenite_abi::UsageRecord;
use arenite_planners::bound::lower_bound;
use arenite_planners::exact::Limits;
use arenite_planners::portfolio::solve;
use strategies::{STRATEGIES, total};

/// Tensor `i` is written by node `i` and read up to the node that is given. Sizes shrink and jump as in real networks.
fn network(count: u32, last: impl Fn(u32) -> u32) -> Vec<UsageRecord> {
    let size = |i: u32| u64::from(i.wrapping_mul(2_654_435_761) >> 24) % 200 + 1;
    let unit = |i: u32| [4096, 1024, 256][(3 * i / count) as usize];
    (0..count).map(|i| UsageRecord::new(size(i) * unit(i), i, last(i).max(i + 1))).collect()
}

fn networks(count: u32) -> [(&'static str, Vec<UsageRecord>); 5] {
    [
        ("chain", network(count, |i| i + 1)),
        ("residual", network(count, |i| i + if i % 4 == 0 { 4 } else { 1 })),
        ("branches", network(count, |i| i / 12 * 12 + 12 + i % 2)),
        ("dense", network(count, |i| i / 24 * 24 + 24)),
        ("u-net", network(count, |i| if i < count / 2 && i % 3 == 0 { count - i } else { i + 1 })),
    ]
}

#[test]
fn plans_of_networks_reach_the_bound() {
    let mut missed_by_all = 0;
    for count in [10, 100, 1000] {
        for (name, records) in networks(count) {
            let outcome = solve(&records, &Limits::default()).expect("good records");
            let bound = lower_bound(&records).expect("good records");
            assert_eq!(total(&records, &outcome.offsets), outcome.total);
            assert!(outcome.total == bound && outcome.is_optimal(), "{name} of {count}: {outcome:?}");
            let tflite = ["arena", "greedy-by-size-offsets", "greedy-best", "greedy-in-order"];
            let others = STRATEGIES.iter().filter(|(name, _)| tflite.contains(name));
            missed_by_all +=
                usize::from(others.map(|(_, o)| total(&records, &o.offsets(&records))).all(|t| t > bound));
        }
    }
    assert!(missed_by_all > 0, "the networks are too easy");
}

/// A problem that no cheap strategy solves: pieces that fill a block without a gap.
fn puzzle() -> Vec<UsageRecord> {
    let pieces = [
        (0, 4, 0, 300),
        (4, 9, 0, 100),
        (9, 12, 0, 450),
        (0, 2, 300, 500),
        (2, 4, 300, 420),
        (4, 6, 100, 700),
        (6, 9, 100, 330),
        (6, 7, 330, 700),
        (7, 9, 330, 450),
        (7, 10, 450, 640),
        (10, 12, 450, 990),
        (0, 3, 500, 1000),
        (2, 3, 420, 500),
        (3, 4, 420, 1000),
        (4, 7, 700, 1000),
        (7, 10, 640, 1000),
        (10, 12, 990, 1000),
    ];
    let piece = |&(first, end, low, high): &(u32, u32, u64, u64)| UsageRecord {
        alignment: 1,
        ..UsageRecord::new(high - low, first, end - 1)
    };
    pieces.iter().map(piece).collect()
}

#[test]
fn limits_are_respected() {
    let records = puzzle();
    let of = |limits: Limits| solve(&records, &limits).expect("good records");
    let without = of(Limits { steps: Some(0), ..Limits::default() });
    assert_eq!(without.steps, 0);
    let cheapest =
        STRATEGIES.iter().filter(|(name, _)| !["exact", "portfolio", "min-cost-flow"].contains(name));
    let cheapest = cheapest.map(|(_, answer)| total(&records, &answer.offsets(&records))).min();
    assert!(Some(without.total) <= cheapest, "{} and {cheapest:?}", without.total);
    let found = of(Limits::default());
    assert_eq!((found.total, found.is_optimal()), (1000, true));
    assert!(without.total > 1000, "the cheap strategies already reach the bound");
    assert_eq!(found, of(Limits::default()), "not deterministic");
    // Time is converted to steps: one nanosecond is less than a step.
    assert_eq!(of(Limits { nanos: Some(1), ..Limits::default() }), without);
    assert_eq!(of(Limits { nanos: Some(1_000_000_000), ..Limits::default() }).total, 1000);
    // Any plan that fits is good enough. If none fits, the best plan is returned.
    let fits = of(Limits { capacity: Some(without.total), ..Limits::default() });
    assert_eq!((fits.total, fits.steps), (without.total, 0));
    let tight = of(Limits { capacity: Some(1000), ..Limits::default() });
    assert_eq!(tight.total, 1000);
    let impossible = of(Limits { capacity: Some(999), ..Limits::default() });
    assert!((1000..=without.total).contains(&impossible.total));
}
