//! The placed items, and the lowest possible positions of the rest. All changes are logged and can be undone.

use alloc::vec;
use alloc::vec::Vec;

use super::problem::Problem;

/// A partial plan that can be undone.
pub(super) struct State {
    /// For each item, its position if it is placed, or else its lowest possible position.
    pub lowest: Vec<u64>,
    /// Whether each item is placed.
    pub is_placed: Vec<bool>,
    /// The number of unplaced items that are in both a section and the next one.
    pub crossing: Vec<u32>,
    /// Items whose lowest position rose, with the previous one.
    raised: Vec<(u32, u64)>,
    /// The placed items, in order.
    placed: Vec<u32>,
}

/// A point to return to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    raised: usize,
    placed: usize,
}

impl State {
    /// A state without placed items.
    pub(super) fn new(problem: &Problem) -> Self {
        let mut crossing = vec![0; problem.sections];
        for item in &problem.items {
            crossing[item.first as usize..item.end as usize - 1].iter_mut().for_each(|count| *count += 1);
        }
        State {
            lowest: (0..problem.items.len() as u32).map(|k| problem.next_place(k, 0)).collect(),
            is_placed: vec![false; problem.items.len()],
            crossing,
            raised: Vec::new(),
            placed: Vec::new(),
        }
    }

    /// Places item `k` at its lowest position.
    pub(super) fn place(&mut self, problem: &Problem, k: u32) {
        let item = problem.items[k as usize];
        self.is_placed[k as usize] = true;
        self.placed.push(k);
        self.crossing[item.first as usize..item.end as usize - 1].iter_mut().for_each(|count| *count -= 1);
    }

    /// Raises item `k`, which is not placed, to `place` or above.
    pub(super) fn raise(&mut self, problem: &Problem, k: u32, place: u64) {
        let lowest = &mut self.lowest[k as usize];
        if *lowest < place {
            self.raised.push((k, *lowest));
            *lowest = problem.next_place(k, place);
        }
    }

    /// A mark for the current state.
    pub(super) fn mark(&self) -> Mark {
        Mark { raised: self.raised.len(), placed: self.placed.len() }
    }

    /// Undoes all changes since `mark`.
    pub(super) fn back_to(&mut self, problem: &Problem, mark: Mark) {
        for k in self.placed.drain(mark.placed..) {
            let item = problem.items[k as usize];
            self.is_placed[k as usize] = false;
            self.crossing[item.first as usize..item.end as usize - 1]
                .iter_mut()
                .for_each(|count| *count += 1);
        }
        while self.raised.len() > mark.raised {
            if let Some((k, lowest)) = self.raised.pop() {
                self.lowest[k as usize] = lowest;
            }
        }
    }
}
