//! Which of many lives overlap a given one: a segment tree over the nodes at which a life begins.
//!
//! ```text
//!             0──3            a life [1, 3] is kept at the tree's node for 1 and at that for 2─3;
//!          ┌───┴───┐          the lives that hold node 2 are those kept between leaf 2 and the root
//!         0─1     2─3
//!        ┌─┴─┐   ┌─┴─┐
//!        0   1   2   3
//! ```
//!
//! Two lives overlap if the one holds the other's beginning. So a life `[a, b]` overlaps those that hold `a`, and those
//! that begin in `a + 1 ..= b`; no life is found twice.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::births::Births;
pub use crate::births::Life;
use crate::bits::Bits;

/// Lives, each with the number that it was added under.
pub struct Timeline {
    /// Leaf `i` of the tree stands for birth `i`.
    births: Births,
    /// Per node of the tree, the newest entry kept there.
    newest: Vec<u32>,
    /// Per leaf, the newest entry that begins there; the leaves that have one.
    begins: Vec<u32>,
    begun: Bits,
    /// The number of a life, and the entry before it at the same place.
    entries: Vec<(u32, u32)>,
}

const NONE: u32 = u32::MAX;

impl Timeline {
    /// An empty timeline for lives that begin where one of these does.
    pub fn new(lives: impl Iterator<Item = Life>) -> Self {
        let births = Births::new(lives);
        let count = births.len();
        Timeline {
            births,
            newest: vec![NONE; 2 * count.next_power_of_two()],
            begins: vec![NONE; count],
            begun: Bits::new(count),
            entries: Vec::new(),
        }
    }

    /// Adds a life.
    pub fn insert(&mut self, number: u32, life: Life) {
        let span = self.births.span(life);
        keep(&mut self.entries, &mut self.begins[span.start], number);
        self.begun.set(span.start);
        // The maximal subtrees within the span, from the leaves up.
        let half = self.newest.len() / 2;
        let (mut l, mut r) = (span.start + half, span.end + half);
        while l < r {
            if l & 1 == 1 {
                keep(&mut self.entries, &mut self.newest[l], number);
                l += 1;
            }
            if r & 1 == 1 {
                r -= 1;
                keep(&mut self.entries, &mut self.newest[r], number);
            }
            l /= 2;
            r /= 2;
        }
    }

    /// The node of the last birth that is not after `node`, or of the first of all.
    pub fn birth_before(&self, node: u32) -> u32 {
        let births = node.checked_add(1).map_or(self.births.len(), |after| self.births.before(after));
        if self.births.len() == 0 { 0 } else { self.births.node(births.saturating_sub(1)) }
    }

    /// Calls `visit` with the number of each life that overlaps `life`, until it breaks.
    ///
    /// `life` begins where one of the given lives does.
    pub fn overlapping(&self, life: Life, mut visit: impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let span = self.births.span(life);
        let mut tree_node = span.start + self.newest.len() / 2;
        while tree_node > 0 {
            self.chain(self.newest[tree_node], &mut visit)?;
            tree_node /= 2;
        }
        let mut next = self.begun.next(span.start + 1);
        while let Some(leaf) = next.filter(|&leaf| leaf < span.end) {
            self.chain(self.begins[leaf], &mut visit)?;
            next = self.begun.next(leaf + 1);
        }
        ControlFlow::Continue(())
    }

    /// An entry and all before it.
    fn chain(&self, mut entry: u32, visit: &mut impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        while entry != NONE {
            let (number, before) = self.entries[entry as usize];
            visit(number)?;
            entry = before;
        }
        ControlFlow::Continue(())
    }
}

fn keep(entries: &mut Vec<(u32, u32)>, newest: &mut u32, number: u32) {
    entries.push((number, *newest));
    *newest = (entries.len() - 1) as u32;
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_each_overlapping_life_once() {
        let lives: Vec<Life> = (0..60u32)
            .map(|i| (i * 7 % 20, i * 7 % 20 + i * 5 % 9 + if i == 30 { 900 } else { 0 }))
            .collect();
        let mut timeline = Timeline::new(lives.iter().copied());
        for (i, &(first, last)) in lives.iter().enumerate() {
            let mut found = Vec::new();
            assert!(
                timeline
                    .overlapping((first, last), |n| {
                        found.push(n as usize);
                        ControlFlow::Continue(())
                    })
                    .is_continue()
            );
            found.sort_unstable();
            let expected: Vec<usize> =
                (0..i).filter(|&j| lives[j].0 <= last && first <= lives[j].1).collect();
            assert_eq!(found, expected, "{first}..={last}");
            timeline.insert(i as u32, (first, last));
        }
    }
}
