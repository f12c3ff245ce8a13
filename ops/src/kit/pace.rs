//! Long loops ask now and then whether the invocation was cancelled, or its time is over.

use arenite_abi::prelude::*;

/// Multiply-adds between two questions: some milliseconds.
const BETWEEN: usize = 1 << 22;

/// Counts work, and asks when there was enough of it.
pub struct Pace<'c, 'a> {
    /// `None`: never asks.
    cx: Option<&'c EvalContext<'a>>,
    work: usize,
}

impl<'c, 'a> Pace<'c, 'a> {
    /// Nothing is counted yet.
    pub fn new(cx: &'c EvalContext<'a>) -> Self {
        Pace { cx: Some(cx), work: 0 }
    }

    /// Never asks.
    pub fn unasked() -> Self {
        Pace { cx: None, work: 0 }
    }

    /// Counts elements that are about to be moved. An error once the invocation is cancelled.
    #[inline]
    pub fn move_ahead(&mut self, elements: usize) -> Result<()> {
        self.ahead(elements.saturating_add(1))
    }

    /// Counts `work` multiply-adds that are about to be done. An error once the invocation is cancelled.
    #[inline]
    pub fn ahead(&mut self, work: usize) -> Result<()> {
        self.work = self.work.saturating_add(work);
        if self.work < BETWEEN { Ok(()) } else { self.ask() }
    }

    fn ask(&mut self) -> Result<()> {
        self.work = 0;
        if self.cx.is_some_and(EvalContext::is_cancelled) {
            return Err(Error::new(Status::Cancelled, format_args!("cancelled")));
        }
        Ok(())
    }
}
