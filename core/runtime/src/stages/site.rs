//! The context that every stage works with.

use super::memory::Memory;
use crate::call::phase::Phase;
use crate::call::run::Run;
use crate::graph::Graph;

/// The context that every stage works with.
pub(crate) struct Site<'a> {
    pub graph: &'a Graph,
    pub memory: &'a mut Memory,
    pub run: &'a Run<'a>,
    pub phase: Phase,
}

impl Site<'_> {
    /// Calls `f`, which prepares nodes only to infer shapes.
    pub(crate) fn inferring<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.phase, Phase::Infer);
        let done = f(self);
        self.phase = before;
        done
    }
}
