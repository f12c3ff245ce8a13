//! How much arena a model needs: `Sizes` is the summary, `Recording` has one number per category.

use core::fmt;

use super::layout::ALIGNMENT;

/// Bytes of an arena, by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The smallest arena, aligned to 16 bytes, in which the model runs.
    pub arena: usize,
    /// Planned memory, which inputs, results of nodes and scratch buffers share.
    pub head: usize,
    /// Bookkeeping: an entry per tensor and per node, shapes that the file does not contain, calls of subgraphs.
    pub bookkeeping: usize,
    /// States and tables of ops, and the lists of their buffers.
    pub ops: usize,
    /// Variables, and resources with their names.
    pub variables: usize,
    /// Computed constants, and copies of constants that cannot be used in place in the file.
    pub constants: usize,
}

impl Sizes {
    /// Bytes that stay allocated for as long as the interpreter exists.
    pub fn tail(&self) -> usize {
        self.bookkeeping + self.ops + self.variables + self.constants
    }

    /// Temporary memory, used while the model is prepared and while a node runs.
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
        /// The purpose of memory in the tail.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Category {
            $($(#[$doc])* $variant,)*
        }

        impl Category {
            /// All categories.
            pub const ALL: &'static [Category] = &[$(Category::$variant,)*];

            /// Name in tables.
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
    /// Shapes, scales and lists that the file does not contain, or that this machine cannot read in place.
    Shapes "shapes",
    /// Subgraphs other than the first, and calls of subgraphs.
    Subgraphs "subgraphs",
    /// States of ops.
    OpData "op data",
    /// Persistent memory that ops request in `prepare`.
    Persistent "persistent buffers",
    /// First values of the memory of stateful ops, for a reset.
    Initial "first values",
    /// Variable tensors.
    Variables "variables",
    /// Resources: names and values.
    Resources "resources",
    /// Computed constants, and copies of constants that cannot be used in place in the file.
    Constants "constants",
}

/// Use of an arena, by category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Peak use if there is one block.
    pub arena: usize,
    /// Peak use of planned and temporary memory: the smallest first block of two.
    pub planned: usize,
    /// Peak use of persistent memory: the smallest second block of two.
    pub persistent: usize,
    /// Size of the head: the end of the last planned buffer.
    pub head: usize,
    /// Sum of the scratch buffers that ops requested. They share the head.
    pub scratch: usize,
    tail: [usize; CATEGORIES],
}

impl Recording {
    /// Bytes of this category in the tail.
    pub fn of(&self, category: Category) -> usize {
        self.tail[category as usize]
    }

    pub(crate) fn add(&mut self, category: Category, bytes: usize) {
        self.tail[category as usize] += bytes;
    }

    /// Subtracts everything that was added to the tail since `before`. The peaks stay.
    pub(crate) fn release(&mut self, before: &Recording) {
        self.tail = before.tail;
    }

    /// Raises the peaks: `front` bytes are in use together with `tail` bytes, `both` in all.
    pub(crate) fn note(&mut self, front: usize, tail: usize, both: usize) {
        self.planned = self.planned.max(front.next_multiple_of(ALIGNMENT));
        self.persistent = self.persistent.max(tail.next_multiple_of(ALIGNMENT));
        self.arena = self.arena.max(both);
    }

    /// The summary.
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

/// A table with one line per category.
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

    /// The summary counts every category once, so the lines of a table add up.
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
