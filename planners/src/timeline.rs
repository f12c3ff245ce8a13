//! Finds the lifetimes that overlap a given one: a segment tree over the nodes at which lifetimes start.
//!
//! ```text
//!             0──3            lifetime [1, 3] is stored at the tree nodes 1 and 2─3;
//!          ┌───┴───┐          lifetimes that contain 2 are stored between leaf 2 and the root
//!         0─1     2─3
//!        ┌─┴─┐   ┌─┴─┐
//!        0   1   2   3
//! ```
//!
//! Two lifetimes overlap if one contains the other's start. So `[a, b]` overlaps every lifetime that contains `a` or
//! starts in `a + 1 ..= b`. No lifetime is found twice.

use alloc::vec;
use alloc::vec::Vec;
use core::mem::replace;
use core::ops::ControlFlow;

use crate::births::Births;
pub(crate) use crate::births::Life;
use crate::bits::Bits;

/// Lifetimes, each with a number.
pub(crate) struct Timeline {
    /// Leaf `i` of the tree represents birth `i`.
    births: Births,
    /// For each tree node, the newest entry stored there.
    newest: Vec<u32>,
    /// Bit `h` is set if an entry is stored `h` levels above the leaves.
    heights: u64,
    /// The number of a lifetime that is stored at a tree node, and the previous entry there.
    entries: Vec<(u32, u32)>,
    /// For each leaf, the newest lifetime that starts there; for each lifetime, the previous one; and the leaves that
    /// have one.
    begins: Vec<u32>,
    begins_before: Vec<u32>,
    begun: Bits,
}

const NONE: u32 = u32::MAX;

impl Timeline {
    /// An empty timeline for these lifetimes, which are numbered in order.
    pub(crate) fn new(lives: impl ExactSizeIterator<Item = Life>) -> Self {
        let begins_before = vec![NONE; lives.len()];
        let births = Births::new(lives);
        let count = births.len();
        Timeline {
            births,
            newest: vec![NONE; 2 * count.next_power_of_two()],
            heights: 0,
            entries: Vec::new(),
            begins: vec![NONE; count],
            begins_before,
            begun: Bits::new(count),
        }
    }

    /// Adds a lifetime.
    pub(crate) fn insert(&mut self, number: u32, life: Life) {
        let span = self.births.span(life);
        self.begins_before[number as usize] = replace(&mut self.begins[span.start], number);
        self.begun.set(span.start);
        // The maximal subtrees within the span, from the leaves up.
        let half = self.newest.len() / 2;
        let (mut l, mut r, mut height) = (span.start + half, span.end + half, 0);
        while l < r {
            if l & 1 == 1 {
                keep(&mut self.entries, &mut self.newest[l], number);
                self.heights |= 1 << height;
                l += 1;
            }
            if r & 1 == 1 {
                r -= 1;
                keep(&mut self.entries, &mut self.newest[r], number);
                self.heights |= 1 << height;
            }
            (l, r, height) = (l / 2, r / 2, height + 1);
        }
    }

    /// The node of the last birth that is not after `node`, or the first birth's node if all are after it.
    pub(crate) fn birth_not_after(&self, node: u32) -> u32 {
        self.births.not_after(node)
    }

    /// Calls `visit` with the number of each lifetime that overlaps `life`, until it breaks.
    ///
    /// `life` must start where one of the given lifetimes does.
    pub(crate) fn overlapping(
        &self,
        life: Life,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let span = self.births.span(life);
        let leaf = span.start + self.newest.len() / 2;
        let mut heights = self.heights;
        while heights != 0 {
            let mut entry = self.newest[leaf >> heights.trailing_zeros()];
            while entry != NONE {
                let (number, before) = self.entries[entry as usize];
                visit(number)?;
                entry = before;
            }
            heights &= heights - 1;
        }
        let mut next = self.begun.next(span.start + 1);
        while let Some(leaf) = next.filter(|&leaf| leaf < span.end) {
            let mut number = self.begins[leaf];
            while number != NONE {
                visit(number)?;
                number = self.begins_before[number as usize];
            }
            next = self.begun.next(leaf + 1);
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
    fn finds_each_overlapping_lifetime_once() {
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
