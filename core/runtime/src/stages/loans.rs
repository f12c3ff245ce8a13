//! Lends memory to the tensors of a subgraph.

use arenite_abi::raw::TENSOR_VARIABLE;

use super::executor::{Executor, Stage};
use super::lent::Loan;
use crate::error::{Error, Result};

impl Executor {
    /// Puts tensor `t` into lent memory. Returns the memory lent before.
    pub(crate) fn lend(&mut self, t: usize, lent: Loan) -> Result<Option<Loan>> {
        self.check_lendable(t, &lent)?;
        let before = self.memory.lend(t, lent);
        if before.is_none() {
            self.unplace(t);
        }
        Ok(before)
    }

    /// Ends the loan; the next allocation gives tensor `t` memory of the interpreter.
    pub(crate) fn take_back(&mut self, t: usize) -> Option<Loan> {
        let lent = self.memory.take_back(t)?;
        self.unplace(t);
        Some(lent)
    }

    pub(super) fn check_lendable(&self, t: usize, lent: &Loan) -> Result<()> {
        let (info, raw) = (&self.graph.tensors[t], self.memory.table.get(t));
        let refuse =
            |message: &str| Err(Error::Tensor { name: info.name.to_string(), message: message.into() });
        if info.constant.is_some() {
            return refuse("it is constant, its memory is the model's");
        }
        if info.ty.bits() == 0 {
            return refuse("its size does not follow from its shape, so no memory can be lent to it");
        }
        let is_input = self.graph.is_input(t);
        if !is_input && !self.graph.is_output(t) && !info.variable {
            return refuse("memory can be lent to inputs, outputs and variables only");
        }
        let bytes = |shape: &[i32]| info.ty.bytes_of(arenite_abi::tensor::element_count(shape));
        let needed = match &self.stage {
            _ if is_input => bytes(self.coming_shape(t)).map_or(raw.bytes, |bytes| bytes as u64),
            _ if raw.flags & TENSOR_VARIABLE != 0 => raw.bytes,
            Stage::Ready(_) | Stage::Released(_) | Stage::Unplaced(_) if !self.memory.table.is_dynamic(t) => {
                raw.bytes
            }
            // Its shape is not known yet.
            _ => 0,
        };
        lent.check(&info.name, needed)
    }

    /// Requires new placement after tensor `t` left or entered the plan. Tensors of later segments are planned later
    /// anyway.
    pub(super) fn unplace(&mut self, t: usize) {
        let table = &self.memory.table;
        let is_late = self.runner().is_some_and(|runner| runner.pending().writes(&self.graph, t));
        let is_planned = !table.is_dynamic(t) && !table.is_constant(t) && !is_late;
        self.stage = match std::mem::take(&mut self.stage) {
            Stage::Ready(runner) | Stage::Released(runner) if is_planned => Stage::Unplaced(runner),
            // Otherwise a resize alone could make it ready again.
            Stage::Resized(_) => Stage::Graph,
            stage => stage,
        };
    }
}
