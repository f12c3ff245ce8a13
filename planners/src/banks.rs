//! Assigns records to several memory banks, small fast ones first, large slow ones last, and gives each record its bank
//! and its offset there.
//!
//! The goal is to read and write as many bytes as possible in the first bank, as many as possible of the rest in the
//! second, and so on. That is the *storage allocation problem* (Bar-Noy, Bar-Yehuda, Freund, Naor and Schieber, A
//! Unified Approach to Approximating Resource Allocation and Scheduling, 2001; Mömke and Wiese, 2015), NP-hard even for
//! one bank and two record sizes.
//!
//! ```text
//! records by benefit ─► first bank while they fit ─► exchanges ─► few records: all assignments
//!        └ per byte and node, per byte, in total, by space; the rest ─► second bank, …
//! ```
//!
//! 1. *Spill by benefit.* Records go to the first bank by falling benefit; records that would overfill it go to the
//!    next bank. A record's benefit is its traffic per byte and node of its lifetime. Three more orders are tried; the
//!    last one spares the slower banks.
//! 2. A bank is planned by `portfolio`. If gaps make the plan larger than the bank, records that end above it go to the
//!    next one.
//! 3. *Exchanges.* A record moves to a faster bank, and the less valuable records in its way move to its old bank.
//! 4. For up to [`FEW`] records, all assignments are tried (`banks/few.rs`).

mod few;
mod load;

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use arenite_abi::prelude::*;

use crate::outcome::Limits;
use crate::{bound, order, portfolio, validate};
use load::Load;

/// Up to this many records, all assignments are tried. The best one is found unless the search runs out of steps.
pub const FEW: usize = 12;

/// Beyond this many records, no exchanges are tried.
const MANY: usize = 1 << 12;
/// The number of plans that exchanges may make.
const MOST_EXCHANGES: usize = 1 << 9;
/// Steps of the exact search in each plan.
const STEPS: u64 = 1 << 14;

/// An assignment of records to banks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Banks {
    /// For each record, the index of its bank.
    pub banks: Vec<u32>,
    /// For each record, its offset in the bank.
    pub offsets: Vec<u64>,
    /// For each bank, the bytes that its plan needs.
    pub totals: Vec<u64>,
    /// For each bank, the bytes that are read and written there.
    pub traffic: Vec<u128>,
    /// Whether no assignment has more traffic in the first bank, then in the second, and so on.
    pub optimal: bool,
}

/// Assigns each record to one of the banks, which have these capacities in bytes, the fastest first. `traffic` is the
/// number of bytes of each record that are read and written.
///
/// Takes O(n log n) plus the time of the plans, a few per bank, and a few hundred if records can be exchanged.
///
/// # Errors
/// A record is malformed, has a fixed offset or fits into no bank, no banks are given, or no assignment is found; the
/// last error gives the bytes that the last bank would need.
pub fn assign(records: &[UsageRecord], traffic: &[u64], capacities: &[u64]) -> Result<Banks> {
    check(records, traffic, capacities)?;
    let problem = Problem { records, traffic, capacities };
    let mut best: Option<Banks> = None;
    let mut failure = None;
    for order in ORDERS {
        match problem.spill(order) {
            Ok(found) if best.as_ref().is_none_or(|best| found.traffic > best.traffic) => best = Some(found),
            Ok(_) => {}
            Err(error) => drop(failure.get_or_insert(error)),
        }
    }
    if let Some(best) = &mut best {
        problem.exchange(best);
    }
    let (best, is_complete) = few::search(&problem, best);
    match best {
        Some(best) => Ok(Banks { optimal: best.optimal || is_complete, ..best }),
        None => {
            Err(failure.unwrap_or_else(|| invalid!("no assignment of {} records was found", records.len())))
        }
    }
}

fn check(records: &[UsageRecord], traffic: &[u64], capacities: &[u64]) -> Result<()> {
    validate::records(records)?;
    ensure!(
        traffic.len() == records.len(),
        "traffic is given for {} records, but there are {} records",
        traffic.len(),
        records.len()
    );
    ensure!(!capacities.is_empty(), "no banks are given; at least one is needed");
    let largest = capacities.iter().copied().max().unwrap_or(0);
    for (i, record) in records.iter().enumerate() {
        ensure!(record.fixed().is_none(), "record {i} has a fixed offset; records in banks cannot have one");
        ensure!(
            record.size <= largest,
            "record {i} has {} bytes, but the largest bank has {largest}: no bank has room for it",
            record.size
        );
    }
    Ok(())
}

struct Problem<'a> {
    records: &'a [UsageRecord],
    traffic: &'a [u64],
    capacities: &'a [u64],
}

/// A bank's records and their plan.
struct PlannedBank {
    offsets: Vec<u64>,
    total: u64,
}

type Order = fn(&UsageRecord, u64) -> f64;

/// The values by which records are sorted for the first banks.
const ORDERS: [Order; 4] = [
    |record, traffic| traffic as f64 / (record.size as f64 * nodes(record)),
    |record, traffic| traffic as f64 / record.size as f64,
    |_, traffic| traffic as f64,
    |record, _| record.size as f64 * nodes(record),
];

fn nodes(record: &UsageRecord) -> f64 {
    f64::from(record.last_node - record.first_node) + 1.0
}

impl Problem<'_> {
    fn plan(&self, members: &[u32], capacity: u64) -> Result<PlannedBank> {
        let records: Vec<UsageRecord> = members.iter().map(|&i| self.records[i as usize]).collect();
        let limits = Limits { capacity: Some(capacity), steps: Some(STEPS), nanos: None };
        let plan = portfolio::solve(&records, &limits)?;
        Ok(PlannedBank { offsets: plan.offsets, total: plan.total })
    }

    /// Fills one bank after another.
    fn spill(&self, order: Order) -> Result<Banks> {
        let mut rest: Vec<u32> = (0..).take(self.records.len()).collect();
        // Records of size 0 need no room.
        let worth = |i: u32| match self.records[i as usize] {
            UsageRecord { size: 0, .. } => f64::INFINITY,
            ref record => order(record, self.traffic[i as usize]),
        };
        order::sort(&mut rest, &|a, b| worth(b).total_cmp(&worth(a)));
        let mut found = self.empty();
        let last = self.capacities.len() - 1;
        for (bank, &capacity) in self.capacities.iter().enumerate() {
            let (members, left) = match bank == last {
                true => (rest, Vec::new()),
                false => self.fill(rest, capacity)?,
            };
            let mut plan = self.plan(&members, capacity)?;
            if plan.total > capacity
                && let Some(whole) = self.as_in_whole(&members, capacity)
            {
                plan = whole;
            }
            ensure!(
                plan.total <= capacity,
                "bank {bank} has {capacity} bytes; the plan of its records needs {}, and any plan needs at least {}",
                plan.total,
                bound::lower_bound(&members.iter().map(|&i| self.records[i as usize]).collect::<Vec<_>>())?
            );
            found.put(self, bank, &members, &plan);
            rest = left;
        }
        Ok(found)
    }

    /// Tries the plan of a superset of these records, if that one fits: fewer records are not always planned better.
    fn as_in_whole(&self, members: &[u32], capacity: u64) -> Option<PlannedBank> {
        let all: Vec<u32> = (0..).take(self.records.len()).collect();
        let whole = self.plan(&all, capacity).ok().filter(|whole| whole.total <= capacity)?;
        let offsets: Vec<u64> = members.iter().map(|&i| whole.offsets[i as usize]).collect();
        let ends = members.iter().zip(&offsets).map(|(&i, offset)| offset + self.records[i as usize].size);
        Some(PlannedBank { total: ends.max().unwrap_or(0), offsets })
    }

    /// An assignment without any records.
    fn empty(&self) -> Banks {
        Banks {
            banks: vec![0; self.records.len()],
            offsets: vec![0; self.records.len()],
            totals: vec![0; self.capacities.len()],
            traffic: vec![0; self.capacities.len()],
            optimal: false,
        }
    }

    /// Splits the records, in their order, into a list that fits a bank and the rest.
    fn fill(&self, order: Vec<u32>, capacity: u64) -> Result<(Vec<u32>, Vec<u32>)> {
        let mut load = Load::new(self.records);
        let (mut members, mut left) = (Vec::new(), Vec::new());
        for i in order {
            let record = &self.records[i as usize];
            let fits = load.most(record) + u128::from(record.size) <= u128::from(capacity);
            if fits {
                load.add(record);
            }
            if fits { &mut members } else { &mut left }.push(i);
        }
        loop {
            let plan = self.plan(&members, capacity)?;
            if plan.total <= capacity {
                break;
            }
            let ends_inside =
                |place: usize, i: u32| plan.offsets[place] + self.records[i as usize].size <= capacity;
            let mut place = 0;
            members.retain(|&i| {
                let stays = ends_inside(place, i);
                place += 1;
                if !stays {
                    left.push(i);
                }
                stays
            });
        }
        Ok((members, left))
    }

    /// Moves records to faster banks for as long as that improves the assignment.
    fn exchange(&self, best: &mut Banks) {
        if self.records.len() > MANY {
            return;
        }
        let mut tried = 0;
        for fast in 0..self.capacities.len() - 1 {
            let mut wanted: Vec<u32> = (0..).take(self.records.len()).collect();
            wanted.retain(|&i| {
                best.banks[i as usize] as usize > fast
                    && self.records[i as usize].size <= self.capacities[fast]
            });
            order::sort_by_key(&mut wanted, |i| Reverse(self.traffic[i as usize]));
            for i in wanted {
                let Some(swap) = self.in_the_way(best, i, fast) else { continue };
                tried += 1;
                if tried > MOST_EXCHANGES {
                    return;
                }
                self.swap(best, i, &swap, fast);
            }
        }
    }

    /// The records that must leave bank `fast` to make room for record `i`, the least valuable first; `None` if they
    /// are worth as much.
    fn in_the_way(&self, best: &Banks, i: u32, fast: usize) -> Option<Vec<u32>> {
        let wanted = &self.records[i as usize];
        let mut load = Load::new(self.records);
        let mut inside: Vec<u32> = Vec::new();
        for k in (0..).take(self.records.len()).filter(|&k| best.banks[k as usize] as usize == fast) {
            let record = &self.records[k as usize];
            load.add(record);
            if record.size > 0 && record.overlaps(wanted) {
                inside.push(k);
            }
        }
        order::sort_by_key(&mut inside, |k| self.traffic[k as usize]);
        let room = u128::from(self.capacities[fast].checked_sub(wanted.size)?);
        let (mut leaving, mut lost) = (Vec::new(), 0u128);
        for k in inside {
            if load.most(wanted) <= room {
                break;
            }
            load.remove(&self.records[k as usize]);
            lost += u128::from(self.traffic[k as usize]);
            leaving.push(k);
        }
        // Some of the records that were removed first may fit after all.
        leaving.retain(|&k| {
            let record = &self.records[k as usize];
            load.add(record);
            let stays = load.most(wanted) <= room;
            match stays {
                true => lost -= u128::from(self.traffic[k as usize]),
                false => load.remove(record),
            }
            !stays
        });
        (load.most(wanted) <= room && lost < u128::from(self.traffic[i as usize])).then_some(leaving)
    }

    /// Moves record `i` to bank `fast`, and the records `leaving` to its old bank, if both banks have room.
    fn swap(&self, best: &mut Banks, i: u32, leaving: &[u32], fast: usize) {
        let slow = best.banks[i as usize] as usize;
        let mut banks = best.banks.clone();
        banks[i as usize] = fast as u32;
        leaving.iter().for_each(|&k| banks[k as usize] = slow as u32);
        let mut found = best.clone();
        for bank in [fast, slow] {
            let members: Vec<u32> =
                (0..).take(banks.len()).filter(|&k| banks[k as usize] as usize == bank).collect();
            match self.plan(&members, self.capacities[bank]) {
                Ok(plan) if plan.total <= self.capacities[bank] => found.put(self, bank, &members, &plan),
                _ => return,
            }
        }
        if found.traffic > best.traffic {
            *best = found;
        }
    }
}

impl Banks {
    /// Replans the bank with exactly these records.
    fn put(&mut self, problem: &Problem<'_>, bank: usize, members: &[u32], plan: &PlannedBank) {
        for (&i, &offset) in members.iter().zip(&plan.offsets) {
            self.banks[i as usize] = bank as u32;
            self.offsets[i as usize] = offset;
        }
        self.totals[bank] = plan.total;
        self.traffic[bank] = members.iter().map(|&i| u128::from(problem.traffic[i as usize])).sum();
        // No assignment is better than all traffic in the first bank.
        self.optimal = self.traffic.iter().skip(1).all(|&traffic| traffic == 0);
    }
}
