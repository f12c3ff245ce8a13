use proptest::prelude::*;

use super::*;
use crate::lower_bound;

const UNIT: u64 = ALIGNMENT as u64;

fn record(units: u64, first: u32, last: u32) -> UsageRecord {
    UsageRecord::new(units * UNIT, first, last)
}

fn tie(node: u32, input: usize, output: usize, kind: TieKind) -> Tie {
    Tie { node, output, input, kind }
}

#[track_caller]
fn check(records: &[UsageRecord], ties: &[Tie], heights: &[u64], places: &[(usize, u64)]) {
    let layout = Layout::new(records, ties, &Techniques::ALL);
    let units: Vec<u64> = layout.buffers.iter().map(|buffer| buffer.size / UNIT).collect();
    let offsets: Vec<(usize, u64)> = layout.places.iter().map(|&(buffer, at)| (buffer, at / UNIT)).collect();
    assert_eq!((&units[..], &offsets[..]), (heights, places));
}

#[test]
fn views_and_results_in_place() {
    use TieKind::{InPlace, View};
    let records = [record(2, 0, 1), record(2, 1, 3), record(2, 3, 4)];
    let ties = [tie(1, 0, 1, View), tie(3, 1, 2, InPlace)];
    check(&records, &ties, &[2], &[(0, 0), (0, 0), (0, 0)]);
    // The first record is read again later, so its value cannot be overwritten at node 3.
    let records = [record(2, 0, 4), record(2, 1, 3), record(2, 3, 4)];
    check(&records, &ties, &[2, 2], &[(0, 0), (0, 0), (1, 0)]);
    // The same node also reads another view.
    let records = [record(2, 0, 3), record(2, 1, 3), record(2, 3, 4)];
    check(&records, &ties, &[2, 2], &[(0, 0), (0, 0), (1, 0)]);
}

#[test]
fn the_last_of_two_consumers_works_in_place() {
    let records = [record(4, 0, 2), record(4, 1, 3), record(4, 2, 3)];
    let ties = [tie(1, 0, 1, TieKind::InPlace), tie(2, 0, 2, TieKind::InPlace)];
    check(&records, &ties, &[4, 4], &[(0, 0), (1, 0), (0, 0)]);
}

#[test]
fn halves_are_read_in_place() {
    use TieKind::PartOfInput;
    let records = [record(4, 0, 1), record(2, 1, 3), record(2, 1, 3)];
    let ties = [tie(1, 0, 1, PartOfInput(0)), tie(1, 0, 2, PartOfInput(2 * UNIT))];
    check(&records, &ties, &[4], &[(0, 0), (0, 0), (0, 2)]);
    // A small part with a long lifetime would keep all of the memory alive.
    let records = [record(8, 0, 1), record(1, 1, 5), record(9, 5, 6)];
    check(&records, &[tie(1, 0, 1, PartOfInput(0))], &[8, 1, 9], &[(0, 0), (1, 0), (2, 0)]);
}

#[test]
fn halves_are_computed_in_their_final_place() {
    use TieKind::{PartOfInput, PartOfOutput};
    let records = [record(2, 0, 2), record(2, 1, 2), record(4, 2, 3)];
    let ties = [tie(2, 0, 2, PartOfOutput(0)), tie(2, 1, 2, PartOfOutput(2 * UNIT))];
    check(&records, &ties, &[4], &[(0, 0), (0, 2), (0, 0)]);
    // x ++ x: one operand is in place, the other is copied.
    let ties = [tie(2, 0, 2, PartOfOutput(0)), tie(2, 0, 2, PartOfOutput(2 * UNIT))];
    check(&records[..], &ties, &[4, 2], &[(0, 0), (1, 0), (0, 0)]);
    // The halves of a tensor are read in place. When they are concatenated again, they are copied.
    let records = [record(4, 0, 1), record(2, 1, 2), record(2, 1, 2), record(4, 2, 3)];
    let split = [tie(1, 0, 1, PartOfInput(0)), tie(1, 0, 2, PartOfInput(2 * UNIT))];
    let again = [tie(2, 1, 3, PartOfOutput(0)), tie(2, 2, 3, PartOfOutput(2 * UNIT))];
    check(&records, &[split, again].concat(), &[4, 4], &[(0, 0), (0, 0), (0, 2), (1, 0)]);
}

#[test]
fn a_larger_result_starts_before_its_input() {
    let records = [record(4, 0, 1), record(6, 1, 2), record(2, 2, 3)];
    let ties = [tie(1, 0, 1, TieKind::Behind(3 * UNIT - 5)), tie(2, 1, 2, TieKind::Behind(0))];
    // The result starts 3 units earlier: 4 + 3 units hold everything.
    check(&records, &ties, &[7], &[(0, 3), (0, 0), (0, 0)]);
}

#[test]
fn each_technique_can_be_switched_off() {
    let records = [record(4, 0, 1), record(4, 1, 2)];
    for kind in [
        TieKind::View,
        TieKind::InPlace,
        TieKind::Behind(0),
        TieKind::PartOfInput(0),
        TieKind::PartOfOutput(0),
    ] {
        assert_eq!(
            Layout::new(&records, &[tie(1, 0, 1, kind)], &Techniques::ALL).buffers.len(),
            1,
            "{kind:?}"
        );
        assert_eq!(
            Layout::new(&records, &[tie(1, 0, 1, kind)], &Techniques::NONE).buffers.len(),
            2,
            "{kind:?}"
        );
    }
}

/// A node with its inputs and its output.
#[derive(Clone, Debug)]
enum Act {
    /// Computes new values, and may overwrite an input in this way.
    Compute {
        input: usize,
        units: u64,
        kind: Option<TieKind>,
    },
    Slice {
        input: usize,
        at: u64,
        units: u64,
    },
    Concat {
        inputs: Vec<usize>,
    },
}

fn act() -> impl Strategy<Value = (u8, prop::sample::Index, prop::sample::Index, u64, u64)> {
    (0u8..8, any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0u64..6, 1u64..6)
}

/// The contents of each record: for each unit, the record that computed it and the unit there.
type Contents = Vec<(usize, u64)>;

struct Program {
    records: Vec<UsageRecord>,
    acts: Vec<Act>,
    ties: Vec<Tie>,
    contents: Vec<Contents>,
}

/// Node `n` creates record `n`; node 0 creates the program's input.
fn program(drawn: &[(u8, prop::sample::Index, prop::sample::Index, u64, u64)]) -> Program {
    let mut p = Program {
        records: vec![record(6, 0, 0)],
        acts: vec![Act::Compute { input: 0, units: 6, kind: None }],
        ties: Vec::new(),
        contents: vec![(0..6).map(|u| (0, u)).collect()],
    };
    for (what, a, b, at, units) in drawn {
        let n = p.records.len();
        // Prefers recent records, so that chains occur.
        let pick = |index: &prop::sample::Index| index.index(n).max(index.index(n * 3).saturating_sub(2 * n));
        let (input, other) = (pick(a), pick(b));
        let size = p.contents[input].len() as u64;
        let fresh = |units: u64| (0..units).map(|u| (n, u)).collect::<Contents>();
        let node = n as u32;
        let (act, contents) = match what {
            0 => {
                p.ties.push(tie(node, input, n, TieKind::View));
                (Act::Slice { input, at: 0, units: size }, p.contents[input].clone())
            }
            1 | 2 => {
                let (at, units) = (at % size, (*units).min(size - at % size));
                p.ties.push(tie(node, input, n, TieKind::PartOfInput(at * UNIT)));
                let part = p.contents[input][at as usize..(at + units) as usize].to_vec();
                (Act::Slice { input, at, units }, part)
            }
            3 | 4 => {
                let all = [p.contents[input].clone(), p.contents[other].clone()].concat();
                p.ties.push(tie(node, input, n, TieKind::PartOfOutput(0)));
                p.ties.push(tie(node, other, n, TieKind::PartOfOutput(size * UNIT)));
                (Act::Concat { inputs: vec![input, other] }, all)
            }
            5 | 6 => {
                let kind = if *what == 5 { TieKind::InPlace } else { TieKind::Behind(at * UNIT) };
                let units = if *what == 5 { size } else { *units };
                p.ties.push(tie(node, input, n, kind));
                (Act::Compute { input, units, kind: Some(kind) }, fresh(units))
            }
            _ => (Act::Compute { input, units: *units, kind: None }, fresh(*units)),
        };
        let read: Vec<usize> = match &act {
            Act::Concat { inputs } => inputs.clone(),
            Act::Compute { input, .. } | Act::Slice { input, .. } => vec![*input],
        };
        read.iter().for_each(|&r| p.records[r].last_node = node);
        p.records.push(record(contents.len() as u64, node, node));
        p.contents.push(contents);
        p.acts.push(act);
    }
    p
}

/// Runs the program with record `r` at unit `at[r]` of memory, and checks every value while it is alive.
fn simulate(p: &Program, at: &[u64]) -> Result<(), TestCaseError> {
    let end = p.contents.iter().zip(at).map(|(c, at)| c.len() as u64 + at).max().unwrap_or(0);
    let mut memory = vec![(usize::MAX, 0u64); end as usize];
    let range = |r: usize| at[r] as usize..at[r] as usize + p.contents[r].len();
    for (n, act) in p.acts.iter().enumerate() {
        let copy = |memory: &mut Vec<(usize, u64)>, from: u64, to: u64, units: u64| {
            memory.copy_within(from as usize..(from + units) as usize, to as usize);
        };
        match act {
            Act::Slice { input, at: part, units } => copy(&mut memory, at[*input] + part, at[n], *units),
            Act::Concat { inputs } => {
                let mut to = at[n];
                for &input in inputs {
                    let units = p.contents[input].len() as u64;
                    prop_assert_eq!(
                        &memory[range(input)],
                        &p.contents[input][..],
                        "node {} reads {}",
                        n,
                        input
                    );
                    copy(&mut memory, at[input], to, units);
                    to += units;
                }
            }
            Act::Compute { input, units, kind } => {
                for q in 0..*units {
                    // Units that must still be readable when unit q is written.
                    let from = match kind {
                        _ if n == 0 => u64::MAX,
                        Some(TieKind::InPlace) => q,
                        Some(TieKind::Behind(distance)) => (q + 1).saturating_sub(distance / UNIT),
                        _ => 0,
                    };
                    let inside = p.contents[*input].len().min(from as usize);
                    prop_assert_eq!(
                        &memory[range(*input)][inside..],
                        &p.contents[*input][inside..],
                        "node {} reads {}",
                        n,
                        input
                    );
                    memory[(at[n] + q) as usize] = (n, q);
                }
            }
        }
        for (r, record) in p.records.iter().enumerate().take(n + 1) {
            if record.last_node > n as u32 || r == n {
                prop_assert_eq!(&memory[range(r)], &p.contents[r][..], "{} after node {}", r, n);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_value_is_lost_and_memory_does_not_grow(drawn in prop::collection::vec(act(), 1..24)) {
        let p = program(&drawn);
        let layout = Layout::new(&p.records, &p.ties, &Techniques::ALL);
        prop_assert!(lower_bound(&layout.buffers) <= lower_bound(&p.records));
        // Gives each buffer separate memory, so that only the layout inside buffers is tested.
        let mut starts = vec![0u64];
        layout.buffers.iter().for_each(|buffer| starts.push(starts[starts.len() - 1] + buffer.size));
        let at: Vec<u64> = layout.places.iter().map(|&(buffer, offset)| (starts[buffer] + offset) / UNIT).collect();
        for ((record, &(buffer, offset)), place) in p.records.iter().zip(&layout.places).zip(&at) {
            let buffer = &layout.buffers[buffer];
            prop_assert!(offset + record.size <= buffer.size && offset.is_multiple_of(UNIT), "{place}");
            prop_assert!(buffer.first_node <= record.first_node && record.last_node <= buffer.last_node);
        }
        simulate(&p, &at)?;
    }
}
