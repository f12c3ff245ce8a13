//! What a model needs of the arena: `Sizes` in brief, `Recording` by what it is for.

use core::fmt;

use crate::arena::ALIGNMENT;

/// Bytes of an arena, by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The least arena, aligned to 16 bytes, with which the model runs.
    pub arena: usize,
    /// Tensors that nodes write, inputs, and scratch buffers: planned, they share memory.
    pub head: usize,
    /// Bookkeeping: an entry per tensor and per node, shapes that the file does not tell, who calls which subgraph.
    pub bookkeeping: usize,
    /// What ops keep: their states, tables, and the list of their buffers.
    pub ops: usize,
    /// Variables, and resources with their names.
    pub variables: usize,
    /// Constants that cannot be used where they lie in the file, and those that ops compute.
    pub constants: usize,
}

impl Sizes {
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

macro_rules! categories {
    ($($(#[$doc:meta])* $variant:ident $name:literal,)*) => {
        /// What memory at the tail is for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Category {
            $($(#[$doc])* $variant,)*
        }

        impl Category {
            /// All of them.
            pub const ALL: &'static [Category] = &[$(Category::$variant,)*];

            /// Its name in a table.
            pub fn name(self) -> &'static str {
                match self {
                    $(Category::$variant => $name,)*
                }
            }
        }

        const CATEGORIES: usize = Category::ALL.len();
    };
}

categories! {
    /// An entry per tensor: data, shape, flags.
    Tensors "tensors",
    /// An entry per node: op, state, lists of buffers.
    Nodes "nodes",
    /// Shapes, scales and lists that this machine cannot read in the file, or that the file does not tell.
    Shapes "shapes",
    /// Subgraphs behind the first one, and who calls them.
    Subgraphs "subgraphs",
    /// The states of ops.
    OpData "op data",
    /// What ops ask for in `prepare`.
    Persistent "persistent buffers",
    /// First values of what stateful ops keep, for a reset.
    Initial "first values",
    /// Tensors that are variables.
    Variables "variables",
    /// Resources: names and values.
    Resources "resources",
    /// Constants that cannot be used where they lie in the file, and those that ops compute.
    Constants "constants",
}

/// What was taken of an arena, and what for, as data for a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The most that was in use at once in one block.
    pub arena: usize,
    /// The most that was in use of what is planned or temporary: the least first block of two.
    pub planned: usize,
    /// The most that was in use of what is persistent: the least second block of two.
    pub persistent: usize,
    /// Where planned buffers end.
    pub head: usize,
    /// Scratch buffers as ops asked for them. They share the head.
    pub scratch: usize,
    tail: [usize; CATEGORIES],
}

impl Recording {
    /// Bytes at the tail of this category.
    pub fn of(&self, category: Category) -> usize {
        self.tail[category as usize]
    }

    pub(crate) fn add(&mut self, category: Category, bytes: usize) {
        self.tail[category as usize] += bytes;
    }

    /// Takes back what was added to the tail since `before`. The most that was in use stays.
    pub(crate) fn release(&mut self, before: &Recording) {
        self.tail = before.tail;
    }

    /// Notes that so many bytes are in use in front while so many are at the tail.
    pub(crate) fn note(&mut self, front: usize, tail: usize, both: usize) {
        self.planned = self.planned.max(front.next_multiple_of(ALIGNMENT));
        self.persistent = self.persistent.max(tail.next_multiple_of(ALIGNMENT));
        self.arena = self.arena.max(both);
    }

    /// In brief.
    pub fn sizes(&self) -> Sizes {
        use Category::*;
        let sum = |categories: &[Category]| categories.iter().map(|&category| self.of(category)).sum();
        Sizes {
            arena: self.arena,
            head: self.head,
            bookkeeping: sum(&[Tensors, Nodes, Shapes, Subgraphs]),
            ops: sum(&[OpData, Persistent, Initial]),
            variables: sum(&[Variables, Resources]),
            constants: self.of(Constants),
        }
    }
}

/// A table: a line per category.
impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, bytes: usize| writeln!(f, "{name:<20} {bytes:>9}");
        line("planned buffers", self.head)?;
        line("scratch, of these", self.scratch)?;
        for &category in Category::ALL {
            line(category.name(), self.of(category))?;
        }
        line("temporaries", self.sizes().temporary())?;
        line("arena", self.arena)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every category is in the summary once: a table's lines add up.
    #[test]
    fn categories_add_up() {
        let mut recording = Recording { arena: 1 << 12, head: 256, ..Recording::default() };
        Category::ALL.iter().enumerate().for_each(|(i, &category)| recording.add(category, 1 << i));
        let sizes = recording.sizes();
        assert_eq!(sizes.tail(), (1 << CATEGORIES) - 1);
        assert_eq!(sizes.head + sizes.tail() + sizes.temporary(), sizes.arena);
        assert_eq!(recording.to_string().lines().count(), CATEGORIES + 4);
    }
}
