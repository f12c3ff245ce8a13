//! Every strategy on many random problems. Each plan is checked by independent code and compared with a reference
//! implementation of its rule, and totals are compared with the lower bound and with other strategies.
//! `ARENITE_PROBLEMS` sets the number of problems.

mod plain;
mod strategies;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arenite_abi::UsageRecord;
use arenite_planners::objects::{Assign, Objects};
use arenite_planners::usage::Usage;
use arenite_planners::*;
use strategies::{Answer, STRATEGIES, total};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Few or many sizes, short or long lifetimes, sorted or not; sometimes aligned, sometimes with fixed offsets.
fn problem(random: &mut Random) -> Vec<UsageRecord> {
    let count = random.one_of(&[1, 2, 3, 4, 5, 6, 8, 10, 13, 21, 34]);
    let nodes = random.one_of(&[1, 3, 6, 10, 20, 40]);
    let lengths = random.one_of(&[1, 2, 4, 9]);
    let sizes = random.one_of(&[2, 5, 20, 2000]);
    let unit = random.one_of(&[1, 16]);
    let alignments = random.one_of(&[1, 1, 4]);
    let mut records: Vec<UsageRecord> = (0..count)
        .map(|_| {
            let (first, length) = (random.below(nodes) as u32, random.below(lengths) as u32);
            let last = if random.below(20) == 0 { UsageRecord::FOREVER } else { first + length };
            UsageRecord {
                alignment: unit << (2 * random.below(alignments)),
                ..UsageRecord::new(random.below(sizes) * unit, first, last)
            }
        })
        .collect();
    if random.below(4) > 0 {
        records.sort_by_key(|record| record.first_node);
    }
    if random.below(8) == 0 {
        // In separate ranges, so that they do not overlap each other.
        let lanes = random.below(4);
        for lane in 0..lanes.min(count) {
            let i = random.below(count) as usize;
            records[i].fixed_offset = (lane * 3 + random.below(2)) * 32_768;
        }
    }
    records
}

/// A lower bound of any plan: the ends of fixed records, and the sizes alive at the same node.
fn bound(records: &[UsageRecord]) -> u64 {
    let alive = |node: u32| records.iter().filter(move |r| r.first_node <= node && node <= r.last_node);
    records.iter().map(|r| alive(r.first_node).map(|r| r.size).sum()).max().unwrap_or(0)
}

fn check_offsets(records: &[UsageRecord], offsets: &[u64]) -> Result<(), String> {
    for (i, a) in records.iter().enumerate() {
        let at = offsets[i];
        if !at.is_multiple_of(a.alignment) || a.fixed().is_some_and(|fixed| fixed != at) {
            return Err(format!("record {i} at {at}"));
        }
        for (j, b) in records.iter().enumerate().take(i) {
            let apart = at + a.size <= offsets[j] || offsets[j] + b.size <= at;
            if a.overlaps(b) && a.size > 0 && b.size > 0 && !apart {
                return Err(format!("records {i} at {at} and {j} at {} overlap", offsets[j]));
            }
        }
    }
    match (bound(records), total(records, offsets)) {
        (bound, total) if total < bound => Err(format!("{total} bytes, but at least {bound} are needed")),
        _ => Ok(()),
    }
}

fn check_objects(records: &[UsageRecord], objects: &Objects) -> Result<(), String> {
    let mut needed = vec![0; objects.sizes.len()];
    for (i, (a, &id)) in records.iter().zip(&objects.ids).enumerate() {
        let Some(needed) = needed.get_mut(id as usize) else {
            return Err(format!("record {i} in object {id}"));
        };
        *needed = a.size.max(*needed);
        if let Some(j) = (0..i).find(|&j| objects.ids[j] == id && records[j].overlaps(a)) {
            return Err(format!("records {i} and {j} are both in object {id}"));
        }
    }
    if needed != objects.sizes {
        Err(format!("sizes {:?}, needed {needed:?}", objects.sizes))
    } else {
        Ok(())
    }
}

type PlainOffsets = fn(&[UsageRecord]) -> Vec<u64>;
const PLAIN_OFFSETS: [(&str, PlainOffsets); 3] = [
    ("best-fit", plain::best_fit),
    ("greedy-by-size-offsets", plain::greedy_by_size_offsets),
    ("micro-greedy", plain::micro_greedy),
];

type PlainObjects = fn(&[UsageRecord]) -> Objects;
const PLAIN_OBJECTS: [(&str, PlainObjects); 6] = [
    ("equality", plain::equality),
    ("equality-vector", plain::equality_vector),
    ("greedy-by-breadth", plain::greedy_by_breadth),
    ("greedy-by-size", plain::greedy_by_size),
    ("greedy-in-order", plain::greedy_in_order),
    ("min-cost-flow", plain::min_cost_flow),
];

fn same<T: PartialEq + std::fmt::Debug>(got: &T, plain: &T) -> Result<(), String> {
    if got == plain { Ok(()) } else { Err(format!("{got:?}, but the reference gives {plain:?}")) }
}

fn check_assign(name: &str, assign: Assign, records: &[UsageRecord]) -> Result<(), String> {
    let objects = assign(records).map_err(|error| error.to_string())?;
    check_objects(records, &objects)?;
    match PLAIN_OBJECTS.iter().find(|(other, _)| *other == name) {
        Some((_, plain)) => same(&objects, &plain(records)),
        None => Ok(()),
    }
}

/// Returns the bytes of the plan.
fn check_strategy(name: &str, answer: Answer, records: &[UsageRecord]) -> Result<u64, String> {
    let offsets = answer.offsets(records);
    check_offsets(records, &offsets)?;
    if let Some((_, plain)) = PLAIN_OFFSETS.iter().find(|(other, _)| *other == name) {
        same(&offsets, &plain(records))?;
    }
    match answer {
        Answer::Objects(assign) => check_assign(name, assign, records)?,
        Answer::Offsets(_) => {}
    }
    Ok(total(records, &offsets))
}

/// `exact` needs at most as much as any other strategy, `portfolio` at most as much as any but `exact`.
fn check_totals(totals: &[(&str, u64)]) -> Result<(), String> {
    let of = |name| totals.iter().find(|(other, _)| *other == name).expect("a strategy").1;
    let (exact, portfolio) = (of("exact"), of("portfolio"));
    for &(name, total) in totals {
        if total < exact || total < portfolio && name != "exact" {
            return Err(format!("{name} needs {total} bytes, but exact {exact} and portfolio {portfolio}"));
        }
    }
    Ok(())
}

/// The forms of greedy-in-order that no planner uses: for operations in any order, and for textures.
fn check_forms(records: &[UsageRecord]) -> Result<(), String> {
    let random = &mut Random(records.len() as u64 * 77 + u64::from(records[0].first_node));
    let dependencies: Vec<Vec<u32>> = (0..records.len())
        .map(|i| {
            let later = (i + 1..records.len()).filter(|&j| records[j].first_node > records[i].first_node);
            later.filter(|_| random.below(3) == 0).map(|j| j as u32).collect()
        })
        .collect();
    let graph = reallocation::graph(&dependencies).map_err(|error| error.to_string())?;
    let got = greedy_in_order::assign_reallocating(records, &graph).map_err(|error| error.to_string())?;
    check_objects(records, &got)?;
    same(&got, &plain::greedy_in_order_reallocating(records, &graph))?;
    let extents: Vec<[u32; 2]> =
        records.iter().map(|_| [1 + random.below(4) as u32, 1 + random.below(4) as u32]).collect();
    let usages: Vec<Usage<[u32; 2]>> =
        records.iter().zip(&extents).map(|(r, &size)| Usage::new(size, r.first_node, r.last_node)).collect();
    let got = greedy_in_order::assign_textures(&usages).map_err(|error| error.to_string())?;
    same(&(got.ids, got.sizes), &plain::textures(records, &extents))
}

fn check_all(records: &[UsageRecord]) -> Result<(), String> {
    let check = || {
        let mut totals = Vec::new();
        for (name, answer) in STRATEGIES {
            let total = check_strategy(name, answer, records).map_err(|error| format!("{name}: {error}"))?;
            totals.push((name, total));
        }
        check_totals(&totals)?;
        if records.is_empty() { Ok(()) } else { check_forms(records).map_err(|e| format!("forms: {e}")) }
    };
    catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|_| Err("it panicked".to_owned()))
}

/// Reduces the problem to as few records as possible.
fn smallest(mut records: Vec<UsageRecord>) -> Vec<UsageRecord> {
    let mut i = 0;
    while i < records.len() {
        let removed = records.remove(i);
        if check_all(&records).is_ok() {
            records.insert(i, removed);
            i += 1;
        } else {
            i = 0;
        }
    }
    records
}

fn check_problems(seeds: Range<u64>) {
    for seed in seeds {
        let records = problem(&mut Random(seed));
        if check_all(&records).is_err() {
            let records = smallest(records);
            panic!("problem {seed}: {:?} for {records:#?}", check_all(&records));
        }
    }
}

#[test]
fn every_strategy_is_right_on_many_problems() {
    let count = std::env::var("ARENITE_PROBLEMS").map_or(100_000, |count| count.parse().expect("a number"));
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    std::thread::scope(|scope| {
        for i in 0..threads {
            scope.spawn(move || check_problems(count * i / threads..count * (i + 1) / threads));
        }
    });
}
