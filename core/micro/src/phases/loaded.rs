//! `LoadedModel`: a verified model. `prepare` and `plan` turn it into an `Interpreter`.

use super::instance::Instance;
use super::interpreter::Interpreter;
use super::plan::Planner;
use super::prepared::PreparedModel;
use crate::arena::Arena;
use crate::error::Result;
use crate::ops::{OpRegistration, Ops};

/// A verified model with its bookkeeping.
pub struct LoadedModel<'a> {
    instance: Instance<'a>,
    arena: Arena<'a>,
}

impl<'a> LoadedModel<'a> {
    /// Verifies a model, and allocates entries for its tensors and nodes. The model's bytes must be aligned to 16
    /// bytes.
    ///
    /// # Errors
    /// The model is malformed, misaligned or has a tensor that is not supported; two ops serve the same nodes; the
    /// arena is too small.
    pub fn new(model: &'a [u8], ops: &'a [OpRegistration], arena: &'a mut [u8]) -> Result<Self> {
        Self::with(model, Ops::List(ops), arena)
    }

    /// Like [`new`](Self::new), for ops in any form of list.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with(model: &'a [u8], ops: Ops<'a>, arena: &'a mut [u8]) -> Result<Self> {
        Self::over(model, ops, Arena::new(arena))
    }

    /// Like [`with`](Self::with), over two blocks. The first has planned and temporary memory and may be small and
    /// fast; the second has persistent memory. `Recording::planned` and `Recording::persistent` are the sizes they
    /// need.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn over_two(
        model: &'a [u8],
        ops: Ops<'a>,
        planned: &'a mut [u8],
        persistent: &'a mut [u8],
    ) -> Result<Self> {
        Self::over(model, ops, Arena::of_two(planned, persistent))
    }

    pub(crate) fn over(model: &'a [u8], ops: Ops<'a>, arena: Arena<'a>) -> Result<Self> {
        Ok(LoadedModel { instance: Instance::load(model, ops, &arena)?, arena })
    }

    /// Prepares every node, in order.
    ///
    /// # Errors
    /// No op serves a node, or its op refuses it; the arena is too small.
    pub fn prepare(self) -> Result<PreparedModel<'a>> {
        self.instance.prepare(&self.arena)?;
        Ok(PreparedModel { instance: self.instance, arena: self.arena })
    }
}

impl<'a> Interpreter<'a> {
    /// Loads, prepares and plans a model.
    ///
    /// Get ops from [`Resolver`](crate::Resolver) or [`registration`](arenite_abi::op::registration). The compiler
    /// rejects structs whose functions are not known to belong together:
    ///
    /// ```compile_fail,E0308
    /// # use arenite_abi::{Op, op::registration, raw::ArOpV1};
    /// # use arenite_micro::Interpreter;
    /// fn mixed<A: Op, B: Op>(model: &[u8], arena: &mut [u8]) {
    ///     let op = ArOpV1 { eval: registration::<B>().eval, ..registration::<A>().into_raw() };
    ///     Interpreter::new(model, &[op], arena);
    /// }
    /// ```
    ///
    /// # Errors
    /// As for [`LoadedModel::new`], [`LoadedModel::prepare`] and [`PreparedModel::plan`].
    pub fn new(model: &'a [u8], ops: &'a [OpRegistration], arena: &'a mut [u8]) -> Result<Self> {
        LoadedModel::new(model, ops, arena)?.prepare()?.plan(Planner::Greedy)
    }
}
