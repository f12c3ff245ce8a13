//! Random records: properties of every plan, and `arena` compared with a direct translation of TFLite's loop.

mod strategies;

use arenite_abi::UsageRecord;
use arenite_planners::{arena, micro_greedy};
use proptest::prelude::*;
use strategies::{Answer, STRATEGIES, total};

fn arena(records: &[UsageRecord]) -> Vec<u64> {
    Answer::Offsets(arena::place).offsets(records)
}

fn record() -> impl Strategy<Value = UsageRecord> {
    let life = prop_oneof![
        6 => (0u32..40, 0u32..8).prop_map(|(first, length)| (first, first + length)),
        1 => (0u32..40).prop_map(|first| (first, UsageRecord::FOREVER)),
        1 => Just((0, UsageRecord::FOREVER)),
    ];
    let size = prop_oneof![4 => 1u64..2000, 2 => (1u64..8).prop_map(|n| n * 64), 1 => Just(0)];
    (size, life, 0u32..8).prop_map(|(size, (first, last), log)| UsageRecord {
        alignment: 1 << log,
        ..UsageRecord::new(size, first, last)
    })
}

fn aligned(offset: u64, alignment: u64) -> u64 {
    offset.next_multiple_of(alignment)
}

/// `SimpleMemoryArena::Allocate` over all records in `ArenaPlanner`'s order, translated from the source.
fn tflite(records: &[UsageRecord]) -> Vec<u64> {
    let whole = |r: &UsageRecord| r.first_node == 0 && r.last_node == UsageRecord::FOREVER;
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by(|&i, &j| {
        let (a, b) = (&records[i], &records[j]);
        match (whole(a), whole(b)) {
            (true, true) => i.cmp(&j),
            (true, false) => std::cmp::Ordering::Less,
            (false, true) => std::cmp::Ordering::Greater,
            (false, false) => b.size.cmp(&a.size).then(a.first_node.cmp(&b.first_node)).then(i.cmp(&j)),
        }
    });
    let mut offsets = vec![0; records.len()];
    let mut active: Vec<usize> = Vec::new();
    for i in order {
        let new = &records[i];
        if new.size == 0 {
            continue;
        }
        let (mut best_offset, mut best_fit, mut current) = (u64::MAX, u64::MAX, 0);
        for &j in &active {
            if !records[j].overlaps(new) {
                continue;
            }
            let start = aligned(current, new.alignment);
            if start + new.size <= offsets[j] && offsets[j] - start < best_fit {
                best_offset = start;
                best_fit = offsets[j] - current;
            }
            current = current.max(offsets[j] + records[j].size);
            if best_fit == 0 {
                break;
            }
        }
        offsets[i] = if best_offset == u64::MAX { aligned(current, new.alignment) } else { best_offset };
        let at = active.partition_point(|&j| offsets[j] <= offsets[i]);
        active.insert(at, i);
    }
    offsets
}

fn apart(a: (u64, u64), b: (u64, u64)) -> bool {
    a.1 == 0 || b.1 == 0 || a.0 + a.1 <= b.0 || b.0 + b.1 <= a.0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_empty_problem_needs_no_memory(records in prop::collection::vec(record(), 0..60), fixed in prop::collection::vec(prop::option::weighted(0.1, 0u64..40), 60)) {
        let fix = |(record, fixed): (&UsageRecord, &Option<u64>)| match fixed {
            Some(place) => UsageRecord { fixed_offset: place * record.alignment, ..*record },
            None => *record,
        };
        let records: Vec<UsageRecord> = records.iter().zip(&fixed).map(fix).collect();
        let [all, few] = [micro_greedy::place, micro_greedy::place_few].map(|f| Answer::Offsets(f).offsets(&records));
        prop_assert_eq!(all, few);
    }

    #[test]
    fn plans_are_aligned_disjoint_and_deterministic(
        mut records in prop::collection::vec(record(), 0..80),
        fixed in prop::collection::vec(0u64..4, 0..3),
    ) {
        // Fixed records are in separate ranges, so that they do not overlap each other.
        for (lane, (record, step)) in records.iter_mut().zip(&fixed).enumerate() {
            record.fixed_offset = lane as u64 * 10_240 + step * 1024;
        }
        for (name, strategy) in STRATEGIES {
            let offsets = strategy.offsets(&records);
            prop_assert_eq!(&offsets, &strategy.offsets(&records), "{} is not deterministic", name);
            for (i, a) in records.iter().enumerate() {
                prop_assert!(offsets[i].is_multiple_of(a.alignment), "{}: record {} at {}", name, i, offsets[i]);
                prop_assert!(a.fixed().is_none_or(|offset| offset == offsets[i]), "{}: record {} moved", name, i);
                for (j, b) in records.iter().enumerate().take(i) {
                    prop_assert!(
                        !a.overlaps(b) || apart((offsets[i], a.size), (offsets[j], b.size)),
                        "{}: records {} and {} overlap", name, i, j
                    );
                }
            }
        }
    }

    #[test]
    fn arena_matches_tflites_arena(records in prop::collection::vec(record(), 0..300)) {
        prop_assert_eq!(arena(&records), tflite(&records));
    }

    #[test]
    fn arena_is_between_the_lower_bound_and_the_sum(mut records in prop::collection::vec(record(), 0..100)) {
        for record in &mut records {
            record.alignment = 64;
            record.size = record.size.next_multiple_of(64);
        }
        let alive = |node: u32| -> u64 {
            records.iter().filter(|r| r.first_node <= node && node <= r.last_node).map(|r| r.size).sum()
        };
        let bound = records.iter().map(|r| alive(r.first_node)).max().unwrap_or(0);
        let (arena, sum) = (total(&records, &arena(&records)), records.iter().map(|r| r.size).sum());
        prop_assert!(bound <= arena && arena <= sum);
    }
}

/// A hundred thousand records, few of them alive together, do not take quadratic time.
#[test]
fn many_records() {
    let chain: Vec<UsageRecord> = (0..100_000u32)
        .map(|i| UsageRecord::new(u64::from(i * 7919 % 4093 + 1) * 64, i, i + 1 + i % 5))
        .collect();
    let offsets = arena(&chain);
    let naive: u64 = chain.iter().map(|r| r.size).sum();
    assert!(total(&chain, &offsets) < naive / 1000, "{} of {naive}", total(&chain, &offsets));
}
