//! Values that partitions keep on their delegate's device. Partitions of the same delegate read them there without a
//! copy; all other readers get a copy on the host.
//!
//! ```text
//!  delegate d          host              delegate d          delegate d        caller
//!  partition 0 ─► t0 ─(copied)─► NEG ─► partition 1 ─► t2 ─► partition 2 ─► t3 ─(copied)─► output
//! ```

use std::rc::Rc;

use super::prepared::StageError;
use super::site::Site;
use super::step::{Kernel, Step};
use crate::error::{Error, Result};
use crate::graph::Graph;

impl Site<'_> {
    /// Called before a step runs: copies its inputs to where the step reads them, and drops the values that it kept
    /// before.
    pub(crate) fn fetch_inputs(&mut self, step: &Step) -> Result<(), StageError> {
        if !self.memory.has_kept {
            return Ok(());
        }
        let reader = match &step.kernel {
            Kernel::Partition(partition) => Some(&partition.owner),
            _ => None,
        };
        for t in Graph::present(step.inputs()) {
            self.fetch_bound(t, reader)?;
            let same = |owner| reader.is_some_and(|reader| Rc::ptr_eq(reader, owner));
            if self.memory.kept.get(&t).is_some_and(|keeper| !(keeper.keeps() && same(&keeper.owner))) {
                self.fetch(t)?;
            }
        }
        self.memory.forget_kept(step.outputs());
        Ok(())
    }

    /// Called after the last step: copies the values that the caller or the next invocation may read. The rest stays on
    /// the device.
    pub(crate) fn fetch_results(&mut self) -> Result<(), StageError> {
        if !self.memory.has_kept {
            return Ok(());
        }
        self.finish_bound()?;
        let all = self.run.settings.lifetimes.preserve_all;
        let kept: Vec<usize> = self.memory.kept.keys().copied().collect();
        let is_read = |t: usize| self.graph.is_output(t) || self.graph.tensors[t].variable;
        for t in kept.into_iter().filter(|&t| all || is_read(t)) {
            self.fetch(t)?;
        }
        self.memory.kept.clear();
        Ok(())
    }

    /// Copies a value to the host. An error is blamed on the delegate that kept the value.
    fn fetch(&mut self, t: usize) -> Result<(), StageError> {
        let keeper = self.memory.kept.get(&t).map(|kernel| kernel.owner.index);
        self.memory.fetch(t).map_err(|error| {
            let status = match &error {
                Error::Delegate { status, .. } => Some(*status),
                _ => None,
            };
            StageError { delegate: keeper.zip(status), ..StageError::from(error) }
        })
    }
}
