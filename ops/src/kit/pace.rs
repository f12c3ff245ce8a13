//! Checks for cancellation and time limits in long loops.

use arenite_abi::prelude::*;

/// The number of multiply-adds between two checks, which take some milliseconds.
const BETWEEN: usize = 1 << 22;

/// Counts work, and checks for cancellation from time to time.
pub struct Pace<'c, 'a> {
    /// The context to check; `None` disables checks.
    cx: Option<&'c EvalContext<'a>>,
    work: usize,
}

impl<'c, 'a> Pace<'c, 'a> {
    /// Starts with no work counted.
    pub fn new(cx: &'c EvalContext<'a>) -> Self {
        Pace { cx: Some(cx), work: 0 }
    }

    /// Returns a pace that never checks.
    pub fn unasked() -> Self {
        Pace { cx: None, work: 0 }
    }

    /// Counts elements that are about to be moved.
    ///
    /// # Errors
    /// The invocation was cancelled, or its time is over.
    #[inline]
    pub fn move_ahead(&mut self, elements: usize) -> Result<()> {
        self.ahead(elements.saturating_add(1))
    }

    /// The number of items with `work` multiply-adds each that may be done between two checks.
    pub fn items(work: usize) -> usize {
        (BETWEEN / work.max(1)).max(1)
    }

    /// Counts `work` multiply-adds that are about to be done.
    ///
    /// # Errors
    /// The invocation was cancelled, or its time is over.
    #[inline]
    pub fn ahead(&mut self, work: usize) -> Result<()> {
        if work < BETWEEN - self.work {
            self.work += work;
            return Ok(());
        }
        self.ask()
    }

    #[cold]
    fn ask(&mut self) -> Result<()> {
        self.work = 0;
        if self.cx.is_some_and(EvalContext::is_cancelled) {
            return Err(Error::new(Status::Cancelled, format_args!("cancelled")));
        }
        Ok(())
    }
}
