//! `Sizes`: what a model needs of the arena.

use core::fmt;

/// Bytes of an arena, by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The least arena, aligned to 16 bytes, with which the model runs.
    pub arena: usize,
    /// Tensors that nodes write, inputs, and scratch buffers: planned, they share memory.
    pub head: usize,
    /// Bookkeeping: an entry per tensor and per node, shapes that the file does not tell.
    pub bookkeeping: usize,
    /// What ops keep: their states, tables, and the list of their buffers.
    pub ops: usize,
    /// Variables.
    pub variables: usize,
    /// Constants that cannot be used where they lie in the file, and those that ops compute.
    pub constants: usize,
}

/// What memory at the tail is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Category {
    Bookkeeping,
    Ops,
    Variables,
    Constants,
}

impl Sizes {
    fn of(&mut self, category: Category) -> &mut usize {
        match category {
            Category::Bookkeeping => &mut self.bookkeeping,
            Category::Ops => &mut self.ops,
            Category::Variables => &mut self.variables,
            Category::Constants => &mut self.constants,
        }
    }

    pub(crate) fn add(&mut self, category: Category, bytes: usize) {
        *self.of(category) += bytes;
    }

    /// Bytes that last as long as the interpreter.
    pub fn tail(&self) -> usize {
        self.bookkeeping + self.ops + self.variables + self.constants
    }

    /// What is left of the arena: temporaries, while the model is made ready and while a node runs.
    pub fn temporary(&self) -> usize {
        self.arena.saturating_sub(self.head + self.tail())
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sizes { arena, head, bookkeeping, ops, variables, constants } = *self;
        write!(
            f,
            "{arena} bytes: head {head}, bookkeeping {bookkeeping}, ops {ops}, variables {variables}, constants {constants}, \
             temporary {}",
            self.temporary()
        )
    }
}
