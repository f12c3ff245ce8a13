//! Tracks which outputs, buffers, tables and states were handed out during one call, in constant memory.
//!
//! Each output and scratch buffer is handed out once, in any order, as long as none has a number 64 or more below the
//! highest so far. Persistent memory consists of states, then tables (`prepare` keeps that order), and each piece is
//! only one of them. The same memory of a variable is read as a slice or used as cells, not both.

use core::cell::Cell;

use crate::{Error, Result, Status};

/// The outputs, buffers, tables and states that an `eval` has received so far.
pub(crate) struct HandedOut {
    outputs: IndexSet,
    scratch: IndexSet,
    /// One more than the number of the last state handed out.
    states_end: Cell<u32>,
    /// The number of the first table handed out.
    tables_begin: Cell<u32>,
    /// The inputs that are variables and were handed out as slices, and those handed out as cells: bit `i` for input
    /// `i`, the last bit for all further ones.
    slices: Cell<u64>,
    cells: Cell<u64>,
}

/// How an input that is a variable is used.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum VariableUse {
    Slice,
    Cells,
}

/// The bit for inputs from this one on.
const LAST_BIT: usize = 63;

impl HandedOut {
    #[inline(always)]
    pub(crate) const fn nothing() -> Self {
        HandedOut {
            outputs: IndexSet::new(),
            scratch: IndexSet::new(),
            states_end: Cell::new(0),
            tables_begin: Cell::new(u32::MAX),
            slices: Cell::new(0),
            cells: Cell::new(0),
        }
    }

    #[inline]
    pub(crate) fn output(&self, i: usize) -> Result<()> {
        self.outputs.take("output", i)
    }

    /// Fails if [`output`](Self::output) would fail.
    pub(crate) fn no_output(&self, i: usize) -> Result<()> {
        self.outputs.find("output", i).map(drop)
    }

    pub(crate) fn scratch(&self, i: usize) -> Result<()> {
        self.scratch.take("scratch buffer", i)
    }

    pub(crate) fn table(&self, i: u32) -> Result<()> {
        self.tables_begin.set(self.tables_begin.get().min(i));
        self.check_persistent()
    }

    pub(crate) fn state(&self, i: u32) -> Result<()> {
        self.states_end.set(self.states_end.get().max(i.saturating_add(1)));
        self.check_persistent()
    }

    fn check_persistent(&self) -> Result<()> {
        let (states, tables) = (self.states_end.get(), self.tables_begin.get());
        if states > tables {
            return Err(internal(format_args!(
                "persistent memory {tables} is used as a table, {} as a state; states come first, so one of the two belongs to \
                 another node",
                states - 1
            )));
        }
        Ok(())
    }

    /// Hands out input `i`, a variable. Fails if it `overlaps` an input that was handed out for the other use.
    pub(crate) fn variable(
        &self,
        i: usize,
        how: VariableUse,
        overlaps: impl Fn(usize) -> bool,
    ) -> Result<()> {
        let (same, other) = match how {
            VariableUse::Slice => (&self.slices, &self.cells),
            VariableUse::Cells => (&self.cells, &self.slices),
        };
        same.set(same.get() | 1 << i.min(LAST_BIT));
        if other.get() == 0 {
            return Ok(());
        }
        let conflicts = |&j: &usize| other.get() >> j & 1 != 0 && (j == LAST_BIT || overlaps(j));
        match (0..=LAST_BIT).find(conflicts) {
            None => Ok(()),
            Some(j) => Err(internal(format_args!(
                "inputs {i} and {j} are variables in the same memory; one call cannot use it as a slice and as cells"
            ))),
        }
    }
}

/// Which numbers were handed out: all below `first`, and `first + i` if bit `i` of `free` is not set.
struct IndexSet {
    free: Cell<u64>,
    first: Cell<usize>,
}

impl IndexSet {
    #[inline(always)]
    const fn new() -> Self {
        IndexSet { free: Cell::new(u64::MAX), first: Cell::new(0) }
    }

    /// The new `first`, and the bit of number `i` relative to it.
    fn find(&self, what: &str, i: usize) -> Result<(usize, u32)> {
        let first = self.first.get();
        let Some(distance) = i.checked_sub(first) else {
            let last = first + 63 - (!self.free.get()).leading_zeros() as usize;
            return Err(internal(format_args!(
                "{what} {i} was handed out already, or is too far below {last}: request it before number {}",
                i.saturating_add(64)
            )));
        };
        if distance < 64 && self.free.get() >> distance & 1 == 0 {
            return Err(internal(format_args!("{what} {i} was handed out already")));
        }
        let first = if distance < 64 { first } else { i - 63 };
        Ok((first, (i - first) as u32))
    }

    #[inline]
    fn take(&self, what: &str, i: usize) -> Result<()> {
        let free = self.free.get();
        // What nearly all ops do.
        if self.first.get() == 0 && i < 32 && free as u32 >> i & 1 != 0 {
            self.free.set(free & !u64::from(1u32 << i));
            return Ok(());
        }
        self.take_far(what, i)
    }

    #[cold]
    fn take_far(&self, what: &str, i: usize) -> Result<()> {
        let (first, bit) = self.find(what, i)?;
        let moved = u32::try_from(first - self.first.get()).unwrap_or(u32::MAX);
        let taken = (!self.free.get()).checked_shr(moved).unwrap_or(0) | 1 << bit;
        self.free.set(!taken);
        self.first.set(first);
        Ok(())
    }
}

/// An error caused by a bug in the plugin.
pub(crate) fn internal(message: core::fmt::Arguments<'_>) -> Error {
    Error::new(Status::Internal, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_once_in_any_order_within_64() {
        let message = |once: &IndexSet, i| once.take("output", i).unwrap_err().message().to_owned();
        let once = IndexSet::new();
        for i in (0..64).rev().chain(64..1000) {
            once.take("output", i).unwrap();
        }
        assert_eq!(message(&once, 999), "output 999 was handed out already");
        assert_eq!(message(&once, 936), "output 936 was handed out already");
        let far = "output 935 was handed out already, or is too far below 999: request it before number 999";
        assert_eq!(message(&once, 935), far);
        once.take("output", usize::MAX).unwrap();
        assert_eq!(message(&once, usize::MAX), format!("output {} was handed out already", usize::MAX));
        once.take("output", usize::MAX - 63).unwrap();
    }

    #[test]
    fn memory_of_a_variable_is_a_slice_or_cells() {
        // Inputs 2 and 5 share memory.
        let overlaps = |i: usize| move |j: usize| i == j || [i, j] == [2, 5] || [i, j] == [5, 2];
        let handed_out = HandedOut::nothing();
        let take = |i, how| handed_out.variable(i, how, overlaps(i));
        take(1, VariableUse::Slice).unwrap();
        take(2, VariableUse::Cells).unwrap();
        take(2, VariableUse::Cells).unwrap();
        take(3, VariableUse::Slice).unwrap();
        let error = take(5, VariableUse::Slice).unwrap_err();
        assert!(error.message().starts_with("inputs 5 and 2 are variables in the same memory;"), "{error}");
        take(1, VariableUse::Cells).unwrap_err();
        take(70, VariableUse::Slice).unwrap();
        take(80, VariableUse::Cells).unwrap_err();
    }

    #[test]
    fn a_piece_of_memory_is_a_table_or_a_state() {
        let handed_out = HandedOut::nothing();
        for i in [3, 0, 70, 3] {
            handed_out.state(i).unwrap();
            handed_out.table(i + 71).unwrap();
        }
        let error = handed_out.table(70).unwrap_err();
        assert!(
            error.message().starts_with("persistent memory 70 is used as a table, 70 as a state;"),
            "{error}"
        );
    }
}
