//! What is placed so far, and where the rest may lie at the lowest. All changes are noted and can be taken back.

use alloc::vec;
use alloc::vec::Vec;

use super::problem::Problem;

/// See the head of the file.
pub struct State {
    /// The place of each item that is placed, and the lowest that the others can still have.
    pub lowest: Vec<u64>,
    /// Whether each item is placed.
    pub is_placed: Vec<bool>,
    /// How many items that are not placed are both in a section and in the next.
    pub crossing: Vec<u32>,
    /// Items whose lowest place rose, with the one before.
    raised: Vec<(u32, u64)>,
    /// In this order.
    placed: Vec<u32>,
}

/// A state to go back to.
#[derive(Clone, Copy)]
pub struct Mark {
    raised: usize,
    placed: usize,
}

impl State {
    /// Nothing is placed.
    pub fn new(problem: &Problem) -> Self {
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

    /// Places item `k` at its lowest place.
    pub fn place(&mut self, problem: &Problem, k: u32) {
        let item = problem.items[k as usize];
        self.is_placed[k as usize] = true;
        self.placed.push(k);
        self.crossing[item.first as usize..item.end as usize - 1].iter_mut().for_each(|count| *count -= 1);
    }

    /// Item `k`, which is not placed, lies at `place` or above.
    pub fn raise(&mut self, problem: &Problem, k: u32, place: u64) {
        let lowest = &mut self.lowest[k as usize];
        if *lowest < place {
            self.raised.push((k, *lowest));
            *lowest = problem.next_place(k, place);
        }
    }

    /// The state now.
    pub fn mark(&self) -> Mark {
        Mark { raised: self.raised.len(), placed: self.placed.len() }
    }

    /// Takes back all that happened since `mark`.
    pub fn back_to(&mut self, problem: &Problem, mark: Mark) {
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
