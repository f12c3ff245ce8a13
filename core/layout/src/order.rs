//! Finds the order of nodes with the lowest peak of memory.
//!
//! The peak of an order is the largest number of bytes alive at one node: values that it reads or writes, and values
//! that later nodes read. The search finds shortest paths through the sets of executed nodes, with the peak as length,
//! so the first result is optimal. Beyond a thousand sets it keeps only the most promising ones (*beam search*).
//!
//! ```text
//!        ┌─► B (9) ─► C (1) ─┐       A B D C E F needs 9 + 9 at D; A B C D E F frees B first: 9 + 1
//!  A ────┤                   ├─► F
//!        └─► D (9) ─► E (1) ─┘
//! ```

mod bytes;
mod problem;
mod work;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use bytes::{Bytes, bytes};
pub use problem::{Node, Problem};
use work::WorkLimit;

/// Limit on the sets of nodes visited by the exact search.
const MOST_STATES: usize = 1 << 10;
/// Number of sets the beam keeps after each node.
const BEAM: usize = 24;
/// Limit on the nodes the beam tries in total.
const MOST_TRIED: usize = 1 << 18;

/// Finds an order with a lower peak than `problem.nodes`, if possible. The search takes at most 2²² steps and calls
/// `is_over` every 2¹⁴ steps. If that returns true, it stops and returns the best order so far, if any.
pub fn find_better(problem: &Problem, is_over: &dyn Fn() -> bool) -> Option<Vec<usize>> {
    let graph = Search::new(problem, is_over)?;
    let given = graph.peak_of(0..problem.nodes.len())?;
    if given <= graph.floor() {
        return None;
    }
    let found = graph.exact(given).unwrap_or_else(|| graph.beam(given))?;
    (found.0 < given).then_some(found.1)
}

struct Search<'a> {
    problem: &'a Problem,
    /// For each node, how many nodes it waits for, and which ones wait for it.
    waits: Vec<usize>,
    before: Vec<Vec<usize>>,
    next: Vec<Vec<usize>>,
    bytes: Vec<Bytes>,
    /// For each value, the nodes that read it.
    readers: Vec<Vec<usize>>,
    /// Values that exist from the start.
    given: Vec<bool>,
    work: WorkLimit<'a>,
}

/// A set of executed nodes.
#[derive(Clone)]
struct State {
    done: Vec<u64>,
    ready: Vec<usize>,
    live: u64,
    peak: u64,
    /// The sum over `done` of a random number per node: a hash of the set.
    key: u64,
    /// Position of the last node in the history.
    path: usize,
}

impl State {
    fn has(&self, node: usize) -> bool {
        self.done[node / 64] >> (node % 64) & 1 == 1
    }
}

/// The nodes that ran before, as linked lists: a node, and the entry of its predecessor.
struct History(Vec<(usize, usize)>);

const NOBODY: usize = usize::MAX;

impl History {
    fn order(&self, mut path: usize) -> Vec<usize> {
        let mut order = Vec::new();
        while path != NOBODY {
            let (node, before) = self.0[path];
            order.push(node);
            path = before;
        }
        order.reverse();
        order
    }
}

impl<'a> Search<'a> {
    /// `None` if two nodes write the same value, or if the problem is too large.
    fn new(problem: &'a Problem, is_over: &'a dyn Fn() -> bool) -> Option<Self> {
        let count = problem.nodes.len();
        let mut writer = vec![NOBODY; problem.sizes.len()];
        for (i, node) in problem.nodes.iter().enumerate() {
            for &value in &node.writes {
                if std::mem::replace(&mut writer[value], i) != NOBODY {
                    return None;
                }
            }
        }
        let readers = readers(problem);
        let mut search = Search {
            problem,
            waits: vec![0; count],
            before: vec![Vec::new(); count],
            next: vec![Vec::new(); count],
            bytes: bytes(problem, &readers),
            readers,
            given: writer.iter().map(|&writer| writer == NOBODY).collect(),
            work: WorkLimit::new(is_over),
        };
        for (i, node) in problem.nodes.iter().enumerate() {
            let mut before: Vec<usize> = node.reads.iter().map(|&value| writer[value]).collect();
            before.extend(&node.after);
            before.retain(|&b| b != NOBODY && b != i);
            before.sort_unstable();
            before.dedup();
            before.iter().for_each(|&b| search.next[b].push(i));
            search.waits[i] = before.len();
            search.before[i] = before;
        }
        Some(search)
    }

    fn start(&self) -> State {
        let count = self.problem.nodes.len();
        let live = self.sum(|value| self.given[value]);
        State {
            done: vec![0; count.div_ceil(64)],
            ready: (0..count).filter(|&i| self.waits[i] == 0).collect(),
            live,
            peak: live,
            key: 0,
            path: NOBODY,
        }
    }

    /// Live bytes while `node` runs, and after it.
    fn cost(&self, state: &State, node: usize) -> (u64, u64) {
        let bytes = &self.bytes[node];
        let mut looked_at = 0;
        let mut is_last = |value: usize| {
            self.readers[value].iter().all(|&reader| {
                looked_at += 1;
                reader == node || state.has(reader)
            })
        };
        let mut last = 0u64;
        for &(size, value) in &bytes.shared {
            last = last.saturating_add(if is_last(value) { size } else { 0 });
        }
        let in_place = bytes.taken.filter(|&(_, value)| is_last(value)).map_or(0, |(size, _)| size);
        self.work.count(1 + looked_at);
        bytes.cost(state.live, last, in_place)
    }

    fn run(&self, state: &mut State, node: usize) {
        let (during, live) = self.cost(state, node);
        state.live = live;
        state.peak = state.peak.max(during);
        state.done[node / 64] |= 1 << (node % 64);
        let waiting: usize = self.next[node].iter().map(|&next| self.before[next].len()).sum();
        self.work.count(state.ready.len() + waiting);
        state.ready.retain(|&other| other != node);
        state.key = state.key.wrapping_add(mix(node as u64 + 1));
        let all_done =
            |next: &usize| self.before[*next].iter().all(|&b| state.done[b / 64] >> (b % 64) & 1 == 1);
        state.ready.extend(self.next[node].iter().copied().filter(all_done));
    }

    /// Runs every node that costs nothing. No order is better than one that runs them first.
    fn settle(&self, state: &mut State, history: &mut History) {
        let is_free = |state: &State, node: usize| {
            let fits = |(during, live): (u64, u64)| during <= state.peak && live <= state.live;
            // Most nodes are too large whichever values they free; the readers of those values need no visit.
            self.work.count(1);
            fits(self.bytes[node].least_cost(state.live)) && fits(self.cost(state, node))
        };
        while let Some(node) = state.ready.iter().copied().find(|&node| is_free(state, node)) {
            if self.work.is_used_up() {
                return;
            }
            self.step(state, node, history);
        }
    }

    fn step(&self, state: &mut State, node: usize, history: &mut History) {
        self.run(state, node);
        history.0.push((node, state.path));
        state.path = history.0.len() - 1;
    }

    /// The state after `node` and after every node that then costs nothing, unless the peak reaches `limit`.
    fn after(&self, state: &State, node: usize, limit: u64, history: &mut History) -> Option<State> {
        (state.peak.max(self.cost(state, node).0) < limit).then(|| {
            self.work.count(state.done.len() + state.ready.len());
            let mut new = state.clone();
            self.step(&mut new, node, history);
            self.settle(&mut new, history);
            new
        })
    }

    /// The initial state and its history.
    fn settled(&self) -> (State, History) {
        let (mut state, mut history) = (self.start(), History(Vec::new()));
        self.settle(&mut state, &mut history);
        (state, history)
    }

    fn is_over(&self, state: &State) -> bool {
        state.ready.is_empty()
    }

    fn peak_of(&self, order: impl Iterator<Item = usize>) -> Option<u64> {
        let mut state = self.start();
        for node in order {
            if !state.ready.contains(&node) || self.work.is_used_up() {
                return None;
            }
            self.run(&mut state, node);
        }
        Some(state.peak)
    }

    /// The bytes of the values for which `of` is true.
    fn sum(&self, of: impl Fn(usize) -> bool) -> u64 {
        self.problem
            .sizes
            .iter()
            .enumerate()
            .filter(|&(value, _)| of(value))
            .fold(0, |sum, (_, size)| sum.saturating_add(*size))
    }

    /// A lower bound for all orders: the peak of the most expensive node alone.
    fn floor(&self) -> u64 {
        let always = |value: usize| self.given[value] && self.problem.kept[value];
        let alone = |node: &Node| {
            let bytes = |values: &[usize]| -> u64 {
                let values = values.iter().filter(|&&value| !always(value));
                values.fold(0, |sum, &value| sum.saturating_add(self.problem.sizes[value]))
            };
            let (reads, writes) = (bytes(&node.reads), bytes(&node.writes));
            let shared = node.takes_over.map_or(0, |value| self.problem.sizes[value].min(writes));
            (reads - shared.min(reads)).saturating_add(writes).saturating_add(node.scratch)
        };
        self.sum(always).saturating_add(self.problem.nodes.iter().map(alone).max().unwrap_or(0))
    }

    /// The best order with a peak below `limit`: `Some(None)` if none exists, `None` if there are too many sets to
    /// decide.
    #[allow(clippy::type_complexity)]
    fn exact(&self, limit: u64) -> Option<Option<(u64, Vec<usize>)>> {
        let (first, mut history) = self.settled();
        let mut states = vec![first];
        let mut queue = BinaryHeap::from([(Reverse(states[0].peak), Reverse(states[0].live), 0usize)]);
        let mut lowest = HashMap::from([(states[0].key, states[0].peak)]);
        while let Some((_, _, at)) = queue.pop() {
            let state = states[at].clone();
            if self.is_over(&state) {
                return Some(Some((state.peak, history.order(state.path))));
            }
            for &node in &state.ready {
                if self.work.is_used_up() {
                    return None;
                }
                let Some(new) = self.after(&state, node, limit, &mut history) else { continue };
                if lowest.get(&new.key).is_some_and(|&peak| peak <= new.peak) {
                    continue;
                }
                lowest.insert(new.key, new.peak);
                if states.len() >= MOST_STATES {
                    return None;
                }
                queue.push((Reverse(new.peak), Reverse(new.live), states.len()));
                states.push(new);
            }
        }
        Some(None)
    }

    /// A good order with a peak below `limit`, if the beam search finds one.
    fn beam(&self, limit: u64) -> Option<(u64, Vec<usize>)> {
        let (first, mut history) = self.settled();
        let mut states = vec![first];
        let mut best: Option<State> = None;
        let mut tried = 0;
        while !states.is_empty() && tried < MOST_TRIED {
            let mut found: HashMap<u64, State> = HashMap::new();
            for state in &states {
                tried += state.ready.len();
                for &node in &state.ready {
                    if self.work.is_used_up() {
                        return best.map(|state| (state.peak, history.order(state.path)));
                    }
                    let bound = best.as_ref().map_or(limit, |best| best.peak);
                    let Some(new) = self.after(state, node, bound, &mut history) else { continue };
                    if self.is_over(&new) {
                        best = Some(new);
                    } else if found.get(&new.key).is_none_or(|known| new.peak < known.peak) {
                        found.insert(new.key, new);
                    }
                }
            }
            states = found.into_values().collect();
            states.sort_unstable_by_key(|state| (state.peak, state.live, state.key));
            states.truncate(BEAM);
        }
        best.map(|state| (state.peak, history.order(state.path)))
    }
}

fn readers(problem: &Problem) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); problem.sizes.len()];
    for (i, node) in problem.nodes.iter().enumerate() {
        node.reads.iter().for_each(|&value| readers[value].push(i));
    }
    readers
}

/// SplitMix64, as a hash of small numbers.
fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::work::{MOST_WORK, POLLED};
    use super::*;
    use proptest::prelude::*;

    fn node(reads: &[usize], write: usize) -> Node {
        Node { reads: reads.to_vec(), writes: vec![write], ..Node::default() }
    }

    fn problem(nodes: Vec<Node>, sizes: &[u64]) -> Problem {
        let mut kept = vec![false; sizes.len()];
        kept[sizes.len() - 1] = true;
        Problem { nodes, sizes: sizes.to_vec(), kept }
    }

    /// The graph from the module's documentation, in the bad order.
    fn two_branches() -> Problem {
        let nodes =
            vec![node(&[], 0), node(&[0], 1), node(&[0], 3), node(&[1], 2), node(&[3], 4), node(&[2, 4], 5)];
        problem(nodes, &[1, 9, 1, 9, 1, 1])
    }

    #[test]
    fn one_branch_after_the_other() {
        let problem = two_branches();
        let order = find_better(&problem, &|| false).unwrap();
        let search = Search::new(&problem, &|| false).unwrap();
        assert_eq!((search.peak_of(0..6), search.peak_of(order.into_iter())), (Some(19), Some(11)));
    }

    #[test]
    fn a_chain_stays() {
        let nodes = vec![node(&[], 0), node(&[0], 1), node(&[1], 2)];
        assert_eq!(find_better(&problem(nodes, &[5, 6, 7]), &|| false), None);
    }

    #[test]
    fn dependencies_without_values_are_kept() {
        let mut problem = two_branches();
        problem.nodes[3].after = vec![2];
        let order = find_better(&problem, &|| false).unwrap();
        assert!(order.iter().position(|&n| n == 2) < order.iter().position(|&n| n == 3), "{order:?}");
    }

    #[test]
    fn values_with_two_writers_keep_their_order() {
        let nodes = vec![node(&[], 0), node(&[], 0)];
        assert_eq!(find_better(&problem(nodes, &[5]), &|| false), None);
    }

    /// `y_i = x + x` for i < `count`: each step of the search can choose any of them.
    fn fan(count: usize) -> Problem {
        let nodes = (0..count).map(|i| node(&[0], i + 1)).collect();
        Problem {
            nodes,
            sizes: vec![16; count + 1],
            kept: [false].into_iter().chain(vec![true; count]).collect(),
        }
    }

    #[test]
    fn a_wide_fan_takes_bounded_work() {
        for count in [500, 1500, 3000, 4096] {
            let calls = Cell::new(0);
            find_better(&fan(count), &|| {
                calls.set(calls.get() + 1);
                false
            });
            assert!((1..=MOST_WORK / POLLED + 1).contains(&calls.get()), "{count} nodes: {}", calls.get());
        }
    }

    #[test]
    fn the_search_stops_on_request() {
        let calls = Cell::new(0);
        let found = find_better(&fan(3000), &|| {
            calls.set(calls.get() + 1);
            calls.get() == 3
        });
        assert_eq!((found, calls.get()), (None, 3));
    }

    fn graphs() -> impl Strategy<Value = Problem> {
        let drawn =
            (prop::collection::vec(any::<prop::sample::Index>(), 0..3), 1u64..20, any::<bool>(), 0u64..3);
        prop::collection::vec(drawn, 1..8).prop_map(|drawn| {
            let mut nodes: Vec<Node> = Vec::new();
            for (i, (reads, _, takes, scratch)) in drawn.iter().enumerate() {
                let mut reads: Vec<usize> = reads.iter().filter(|_| i > 0).map(|r| r.index(i)).collect();
                reads.sort_unstable();
                reads.dedup();
                let takes_over = reads.first().copied().filter(|_| *takes);
                nodes.push(Node { scratch: *scratch, takes_over, ..node(&reads, i) });
            }
            let sizes: Vec<u64> = drawn.iter().map(|(_, size, ..)| *size).collect();
            problem(nodes, &sizes)
        })
    }

    /// The lowest peak over all orders.
    fn lowest(search: &Search<'_>, state: &State) -> u64 {
        if search.is_over(state) {
            return state.peak;
        }
        let after = |node| {
            let mut state = state.clone();
            search.run(&mut state, node);
            state
        };
        state.ready.iter().map(|&node| lowest(search, &after(node))).min().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_exact_search_finds_the_lowest_peak(problem in graphs()) {
            let search = Search::new(&problem, &|| false).unwrap();
            let given = search.peak_of(0..problem.nodes.len()).unwrap();
            let lowest = lowest(&search, &search.start());
            let found = search.exact(given).unwrap();
            prop_assert_eq!(found.as_ref().map_or(given, |(peak, _)| *peak), lowest);
            if let Some((peak, order)) = found {
                prop_assert_eq!(search.peak_of(order.into_iter()), Some(peak));
            }
            if let Some((peak, order)) = search.beam(given) {
                prop_assert!(peak >= lowest);
                prop_assert_eq!(search.peak_of(order.into_iter()), Some(peak));
            }
        }
    }
}
