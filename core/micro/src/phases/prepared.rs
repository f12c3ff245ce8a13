//! `PreparedModel`: a model whose nodes are prepared and whose head is not planned yet.

#[cfg(feature = "alloc")]
use {alloc::vec::Vec, arenite_abi::UsageRecord};

use super::instance::Instance;
use super::interpreter::Interpreter;
use super::plan::Planner;
use crate::arena::Arena;
use crate::error::Result;

/// A model whose nodes are all prepared.
pub struct PreparedModel<'a> {
    pub(super) instance: Instance<'a>,
    pub(super) arena: Arena<'a>,
}

impl<'a> PreparedModel<'a> {
    /// The usage records that [`plan`](Self::plan) places: tensors, then scratch buffers.
    ///
    /// # Errors
    /// As for [`plan`](Self::plan).
    #[cfg(feature = "alloc")]
    pub fn records(&self) -> Result<Vec<UsageRecord>> {
        self.instance.records(&self.arena)
    }

    /// Places every tensor and scratch buffer.
    ///
    /// # Errors
    /// The arena is too small for the plan, or for the temporary memory of a node.
    pub fn plan(self, planner: Planner) -> Result<Interpreter<'a>> {
        self.instance.plan(&self.arena, planner, 0)?;
        Ok(Interpreter { instance: self.instance, arena: self.arena })
    }
}
