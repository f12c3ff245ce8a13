//! The host's side of `eval`: memory for outputs of dynamic shape, profiling, and cancellation.

use std::rc::Rc;
use std::time::Duration;

use arenite_abi::host_side::{self, CallerSide, EvalSide, HostSide, NodeSide, Refusal};
use arenite_abi::raw::{ArEvalV1, ArSpan, ArStatus, ArTensorV1};
use arenite_abi::{ElementType, Status};

use super::message::Refused;
use super::model::ModelHost;
use crate::call::phase::Phase;
use crate::call::run::Run;
use crate::profile::ProfileRow;
use crate::stages::memory::Memory;
use crate::stages::partition_kernel::PartitionKernel;

/// The target of events with the times of a delegate's steps. A trace shows them from the start of their node.
const STEPS: &str = "arenite::steps";

pub(crate) struct EvalHost<'a> {
    pub memory: &'a mut Memory,
    pub run: &'a Run<'a>,
    /// Outputs of the current node.
    pub outputs: &'a [i32],
    /// The partition, unless it is a node.
    pub partition: Option<&'a Rc<PartitionKernel>>,
    /// The node's row in the profile, if one is collected.
    pub profile: Option<&'a mut ProfileRow>,
}

impl EvalHost<'_> {
    /// The struct for the plugin. It borrows `self`, which must not move until the call returns.
    pub(crate) fn as_raw(&mut self, persistent: &[ArSpan], scratch: &[ArSpan]) -> ArEvalV1 {
        let threads = self.run.settings.threads;
        host_side::eval_struct(self, threads, persistent, scratch)
    }

    /// Returns `needed` bytes for tensor `t`, which is output `output`: lent memory if there is any, else its own
    /// block.
    fn memory_for(&mut self, t: usize, output: u32, needed: usize) -> Result<*mut u8, Refused> {
        let Memory { dynamic, lent, generation, budget, .. } = &mut *self.memory;
        match lent.get(&t) {
            Some(lent) if lent.len() >= needed => Ok(lent.as_ptr()),
            Some(lent) => {
                let has = lent.len();
                Err(Refused::new(
                    Status::OutOfMemory,
                    format_args!(
                        "output {output} needs {needed} bytes, the memory lent to it has {has}: lend more, or take it back"
                    ),
                ))
            }
            None => {
                *generation += u64::from(dynamic[t].grow(needed, budget, "a tensor of dynamic shape")?);
                Ok(dynamic[t].as_ptr())
            }
        }
    }
}

impl HostSide for EvalHost<'_> {
    type Refused = Refused;

    fn report(refused: Refused) -> ArStatus {
        refused.report()
    }
}

impl NodeSide for EvalHost<'_> {
    fn outputs(&self) -> &[i32] {
        self.outputs
    }

    fn tensor(&self, t: usize) -> ArTensorV1 {
        self.memory.table.get(t)
    }

    fn shape(&self, t: usize) -> &[i32] {
        self.memory.table.shape(t)
    }

    fn limit(&self) -> u64 {
        self.run.settings.quota.bytes
    }
}

impl EvalSide for EvalHost<'_> {
    fn resize(
        &mut self,
        output: u32,
        t: usize,
        dims: &[i32],
        ty: ElementType,
        bytes: usize,
    ) -> Result<(), Refused> {
        // Memory first, so that on an error the tensor is unchanged, without data.
        let data = self.memory_for(t, output, bytes)?;
        let table = &mut self.memory.table;
        table.set_shape(t, dims, ty);
        table.set_bytes(t, bytes as u64);
        table.set_data(t, data);
        Ok(())
    }

    fn is_cancelled(&self) -> bool {
        self.run.is_over()
    }

    fn is_profiled(&self) -> bool {
        self.profile.is_some() || tracing::enabled!(target: STEPS, tracing::Level::TRACE)
    }

    fn note_time(&mut self, number: u32, name: &str, tensor: i32, nanoseconds: u64) {
        let tensors = &self.memory.table;
        let output = || match usize::try_from(tensor) {
            // SAFETY: names live in the graph, which outlives the tensor table.
            Ok(t) if t < tensors.len() => unsafe { tensors.get(t).name.as_str().to_owned() },
            _ => String::new(),
        };
        tracing::trace!(target: STEPS, op = name, number, nanoseconds, "step");
        if let Some(row) = &mut self.profile {
            let time = Duration::from_nanos(nanoseconds);
            row.note_part(number as usize, time, || (name.to_owned(), output()));
        }
    }

    /// An observer must see all outputs.
    fn keeps(&self) -> bool {
        self.run.observer.is_none() && self.partition.is_some_and(|partition| partition.keeps())
    }

    fn keep(&mut self, t: usize, handle: u64) {
        if let Some(partition) = self.partition {
            self.memory.keep(t, handle, partition);
        }
    }
}

impl CallerSide for EvalHost<'_> {
    const KEEPS_RESOURCES: bool = true;

    type Model<'a>
        = ModelHost<'a>
    where
        Self: 'a;

    fn resource_version(&self) -> u64 {
        self.run.resources.borrow().version()
    }

    fn model(&mut self) -> ModelHost<'_> {
        ModelHost { run: self.run, phase: Phase::Prepare, delegate: self.partition.is_some() }
    }
}
