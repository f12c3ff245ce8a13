//! The memory that a kernel may still take while it is compiled or prepared. It is checked before each allocation, so
//! that none exceeds the quota.

use std::cell::{Cell, RefCell};

use arenite_abi::prelude::*;

/// Bytes that may still be taken.
pub(crate) struct Allowance {
    left: Cell<u64>,
    /// The bytes of tables since the last [`begin`](Self::begin).
    tables: Cell<u64>,
    /// The result whose step takes them.
    owner: RefCell<String>,
}

impl Default for Allowance {
    /// Any number.
    fn default() -> Self {
        Allowance { left: Cell::new(u64::MAX), tables: Cell::new(0), owner: RefCell::default() }
    }
}

impl Allowance {
    /// Sets how many bytes may be taken from now on, and resets the count of tables.
    pub(crate) fn begin(&self, left: u64) {
        self.left.set(left);
        self.tables.set(0);
    }

    /// Names the result of the step that the next bytes are for.
    pub(crate) fn charge(&self, result: &str) {
        result.clone_into(&mut self.owner.borrow_mut());
    }

    /// Bytes of tables since the last [`begin`](Self::begin).
    pub(crate) fn tables(&self) -> u64 {
        self.tables.get()
    }

    /// Whether `bytes` may be taken.
    pub(crate) fn has(&self, bytes: usize) -> bool {
        bytes as u64 <= self.left.get()
    }

    /// Takes `bytes`.
    ///
    /// # Errors
    /// If fewer are allowed. The message names the result, the purpose and both numbers.
    pub(crate) fn take(&self, bytes: usize, what: &str) -> Result<()> {
        if !self.has(bytes) {
            return Err(Error::new(
                Status::OutOfMemory,
                format_args!(
                    "{what} of the step of '{}' need {bytes} bytes, the quota leaves {}; raise `bytes` in [quota] if that is right",
                    self.owner.borrow(),
                    self.left.get()
                ),
            ));
        }
        self.left.set(self.left.get() - bytes as u64);
        Ok(())
    }

    /// Like [`take`](Self::take), for memory of a program, which counts as tables.
    pub(crate) fn keep(&self, bytes: usize, what: &str) -> Result<()> {
        self.take(bytes, what)?;
        self.tables.set(self.tables.get() + bytes as u64);
        Ok(())
    }

    /// `count` elements that a step keeps.
    ///
    /// # Errors
    /// As [`take`](Self::take), or the system has no memory.
    pub(crate) fn table<T>(&self, count: usize, value: impl FnMut(usize) -> T) -> Result<Vec<T>> {
        let bytes = count.saturating_mul(size_of::<T>());
        self.keep(bytes, "tables")?;
        let mut table = Vec::new();
        table.try_reserve_exact(count).map_err(|_| {
            Error::new(Status::OutOfMemory, format_args!("the system has no {bytes} bytes for tables"))
        })?;
        table.extend((0..count).map(value));
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_has_an_end() {
        let allowance = Allowance::default();
        allowance.begin(100);
        allowance.charge("y");
        assert_eq!((allowance.table(10, |i| i as u64).unwrap()[9], allowance.tables()), (9, 80));
        let error = allowance.table(3, |i| i as u64).unwrap_err();
        assert_eq!(
            error.message(),
            "tables of the step of 'y' need 24 bytes, the quota leaves 20; raise `bytes` in [quota] if that is right"
        );
        allowance.take(20, "packed weights").unwrap();
        assert!(!allowance.has(1) && allowance.take(1, "packed weights").is_err());
        allowance.begin(u64::MAX);
        assert!(allowance.table(usize::MAX, |_| 0u64).is_err());
    }
}
