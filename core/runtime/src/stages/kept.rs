//! Values that partitions keep on their delegate's device: who else reads one gets a copy, and between two partitions of one delegate
//! nothing is copied.
//!
//! ```text
//!  delegate d          host              delegate d          delegate d        caller
//!  partition 0 ─► t0 ─(copied)─► NEG ─► partition 1 ─► t2 ─► partition 2 ─► t3 ─(copied)─► output
//! ```

use std::rc::Rc;

use super::Site;
use super::prepared::Stopped;
use super::step::{Kernel, Step};
use crate::error::{Error, Result};
use crate::graph::Graph;

impl Site<'_> {
    /// Before a step runs: what it reads is where it looks for it, and what it kept is no more.
    pub fn fetch_inputs(&mut self, step: &Step) -> Result<(), Stopped> {
        if !self.memory.has_kept {
            return Ok(());
        }
        let reader = match &step.kernel {
            Kernel::Partition(partition) => Some(&partition.owner),
            _ => None,
        };
        for t in Graph::present(step.inputs()) {
            let same = |owner| reader.is_some_and(|reader| Rc::ptr_eq(reader, owner));
            if self.memory.kept.get(&t).is_some_and(|keeper| !(keeper.keeps() && same(&keeper.owner))) {
                self.fetch(t)?;
            }
        }
        self.memory.forget_kept(step.outputs());
        Ok(())
    }

    /// When all has run: copies what the caller or the next invocation may read. The rest stays on its device.
    pub fn fetch_results(&mut self) -> Result<(), Stopped> {
        if !self.memory.has_kept {
            return Ok(());
        }
        let all = self.run.settings.lifetimes.preserve_all;
        let kept: Vec<usize> = self.memory.kept.keys().copied().collect();
        let is_read = |t: usize| self.graph.is_output(t) || self.graph.tensors[t].variable;
        for t in kept.into_iter().filter(|&t| all || is_read(t)) {
            self.fetch(t)?;
        }
        self.memory.kept.clear();
        Ok(())
    }

    /// What fails is the delegate that kept the value.
    fn fetch(&mut self, t: usize) -> Result<(), Stopped> {
        let keeper = self.memory.kept.get(&t).map(|kernel| kernel.owner.index);
        self.memory.fetch(t).map_err(|error| {
            let status = match &error {
                Error::Delegate { status, .. } => Some(*status),
                _ => None,
            };
            Stopped { delegate: keeper.zip(status), ..Stopped::from(error) }
        })
    }
}
