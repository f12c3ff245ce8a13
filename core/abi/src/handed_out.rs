//! What was handed out in one call, however many outputs, buffers, tables and states there are.
//!
//! Outputs and scratch buffers are handed out once each, in any order as long as none comes 64 or more behind the last of them.
//! Persistent memory is states, then tables (`prepare` keeps that order): a piece is one or the other.

use core::cell::Cell;

use crate::{Error, Result, Status};

/// What an `eval` has in hand.
pub(crate) struct HandedOut {
    outputs: Once,
    scratch: Once,
    /// Behind the last state that is in hand.
    states_end: Cell<u32>,
    /// The first table that is in hand.
    tables_begin: Cell<u32>,
    variables: Cell<Option<VariableUse>>,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum VariableUse {
    Read,
    Cells,
}

impl HandedOut {
    pub const fn nothing() -> Self {
        HandedOut {
            outputs: Once::new(),
            scratch: Once::new(),
            states_end: Cell::new(0),
            tables_begin: Cell::new(u32::MAX),
            variables: Cell::new(None),
        }
    }

    pub fn output(&self, i: usize) -> Result<()> {
        self.outputs.take("output", i)
    }

    /// Refused where [`output`](Self::output) would be.
    pub fn no_output(&self, i: usize) -> Result<()> {
        self.outputs.find("output", i).map(drop)
    }

    pub fn scratch(&self, i: usize) -> Result<()> {
        self.scratch.take("scratch buffer", i)
    }

    pub fn table(&self, i: u32) -> Result<()> {
        self.tables_begin.set(self.tables_begin.get().min(i));
        self.check_persistent()
    }

    pub fn state(&self, i: u32) -> Result<()> {
        self.states_end.set(self.states_end.get().max(i.saturating_add(1)));
        self.check_persistent()
    }

    fn check_persistent(&self) -> Result<()> {
        let (states, tables) = (self.states_end.get(), self.tables_begin.get());
        if states > tables {
            return Err(internal(format_args!(
                "persistent memory {tables} is used as a table, {} as a state; states come first, so one of the two is not of \
                 this node",
                states - 1
            )));
        }
        Ok(())
    }

    pub fn variables(&self, how: VariableUse) -> Result<()> {
        if self.variables.replace(Some(how)).is_some_and(|before| before != how) {
            return Err(internal(format_args!("variables are used as slices and as cells in one call")));
        }
        Ok(())
    }
}

/// Which of a list were handed out: those below `first` count as such, and bit `i` tells of `first + i`.
struct Once {
    first: Cell<usize>,
    bits: Cell<u64>,
}

impl Once {
    const fn new() -> Self {
        Once { first: Cell::new(0), bits: Cell::new(0) }
    }

    /// `first` and the bit with which number `i` can be told from those before it.
    fn find(&self, what: &str, i: usize) -> Result<(usize, u32)> {
        let first = self.first.get();
        let Some(distance) = i.checked_sub(first) else {
            let last = first + 63 - self.bits.get().leading_zeros() as usize;
            return Err(internal(format_args!(
                "{what} {i} was handed out already, or comes behind {last}: ask for it before number {}",
                i.saturating_add(64)
            )));
        };
        if distance < 64 && self.bits.get() >> distance & 1 != 0 {
            return Err(internal(format_args!("{what} {i} was handed out already")));
        }
        let first = if distance < 64 { first } else { i - 63 };
        Ok((first, (i - first) as u32))
    }

    fn take(&self, what: &str, i: usize) -> Result<()> {
        let (first, bit) = self.find(what, i)?;
        let moved = u32::try_from(first - self.first.get()).unwrap_or(u32::MAX);
        self.bits.set(self.bits.get().checked_shr(moved).unwrap_or(0) | 1 << bit);
        self.first.set(first);
        Ok(())
    }
}

/// A defect of the plugin.
pub(crate) fn internal(message: core::fmt::Arguments<'_>) -> Error {
    Error::new(Status::Internal, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_once_in_any_order_within_64() {
        let message = |once: &Once, i| once.take("output", i).unwrap_err().message().to_owned();
        let once = Once::new();
        for i in (0..64).rev().chain(64..1000) {
            once.take("output", i).unwrap();
        }
        assert_eq!(message(&once, 999), "output 999 was handed out already");
        assert_eq!(message(&once, 936), "output 936 was handed out already");
        let far = "output 935 was handed out already, or comes behind 999: ask for it before number 999";
        assert_eq!(message(&once, 935), far);
        once.take("output", usize::MAX).unwrap();
        assert_eq!(message(&once, usize::MAX), format!("output {} was handed out already", usize::MAX));
        once.take("output", usize::MAX - 63).unwrap();
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
