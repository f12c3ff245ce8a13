//! `Life`: when a tensor or a scratch buffer is in use.

use arenite_model::{List, SubGraph};

/// First and last time at which a buffer is in use. `first > last` means never.
#[derive(Clone, Copy)]
pub(crate) struct Life {
    pub first: u32,
    pub last: u32,
}

impl Life {
    pub(crate) const NONE: Life = Life { first: u32::MAX, last: 0 };

    /// In use during one time step.
    pub(crate) fn at(time: u32) -> Self {
        Life { first: time, last: time }
    }

    /// Whether it is ever in use.
    pub(crate) fn is_some(&self) -> bool {
        self.first <= self.last
    }

    /// Whether both are in use at some time.
    pub(crate) fn overlaps(&self, other: Life) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    pub(crate) fn include(&mut self, other: Life) {
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }

    /// Extends a life to `until`, if there is one.
    pub(crate) fn extend(&mut self, until: u32) {
        if self.is_some() {
            self.last = self.last.max(until);
        }
    }
}

/// Computes the life of each tensor of a subgraph whose node `i` runs at `time(i)`. Inputs are in use at least during
/// `given`, outputs during `taken`.
pub(crate) fn note_lives(
    subgraph: &SubGraph<'_>,
    lives: &mut [Life],
    time: impl Fn(usize) -> Life,
    [given, taken]: [Life; 2],
) {
    let mut include = |tensors: List<'_, i32>, life| {
        for t in tensors.iter().filter_map(|t| usize::try_from(t).ok()) {
            lives[t].include(life);
        }
    };
    include(subgraph.inputs(), given);
    for (node, operator) in subgraph.operators().iter().enumerate() {
        include(operator.inputs(), time(node));
        include(operator.outputs(), time(node));
    }
    include(subgraph.outputs(), taken);
}
