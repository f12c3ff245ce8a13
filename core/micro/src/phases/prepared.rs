//! `PreparedModel`: a model whose nodes are prepared and whose head is not planned yet.

use arenite_abi::Result as OpResult;
use arenite_planners::few::Records;
#[cfg(feature = "alloc")]
use {alloc::vec::Vec, arenite_abi::UsageRecord};

use super::instance::Instance;
use super::interpreter::Interpreter;
use super::plan::{Planner, check_placed};
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

    /// Like [`plan`](Self::plan), with a planner of the program: it sets the offset of every record, or fails. Records
    /// with an offset in the model have it already. Offsets are multiples of 16.
    ///
    /// # Errors
    /// As for [`plan`](Self::plan); the planner fails; a record has no offset or a misaligned one, or overlaps another
    /// one in both time and memory.
    pub fn plan_with(
        self,
        planner: &mut dyn FnMut(&mut dyn Records) -> OpResult<()>,
    ) -> Result<Interpreter<'a>> {
        let checked = &mut |records: &mut dyn Records| planner(records).and_then(|()| check_placed(records));
        self.instance.plan_by(&self.arena, checked, 0)?;
        Ok(Interpreter { instance: self.instance, arena: self.arena })
    }
}
