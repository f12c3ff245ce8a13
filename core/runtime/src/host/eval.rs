//! The host's side of `eval`: memory for shapes that become known, time per part, and whether to stop.

use std::rc::Rc;
use std::time::Duration;

use arenite_abi::host_side::{self, CallerSide, EvalSide, HostSide, NodeSide, Refusal};
use arenite_abi::raw::{ArEvalV1, ArSpan, ArStatus, ArTensorV1};
use arenite_abi::{ElementType, Status};

use super::Refused;
use super::called::Called;
use crate::profile::ProfileRow;
use crate::run::Run;
use crate::stages::memory::Memory;
use crate::stages::partition_kernel::PartitionKernel;
use crate::stages::step::Phase;

/// The target of events that tell how long a delegate's steps took: a trace lays them out from where their node begins.
const STEPS: &str = "arenite::steps";

pub(crate) struct EvalHost<'a> {
    pub memory: &'a mut Memory,
    pub run: &'a Run<'a>,
    /// Outputs of the node in progress.
    pub outputs: &'a [i32],
    /// The partition that it is, if it is one.
    pub partition: Option<&'a Rc<PartitionKernel>>,
    /// The row of the node in progress, if somebody asked for a profile.
    pub profile: Option<&'a mut ProfileRow>,
}

impl EvalHost<'_> {
    /// As it crosses; it borrows this, which must not move until the call returns.
    pub fn as_raw(&mut self, persistent: &[ArSpan], scratch: &[ArSpan]) -> ArEvalV1 {
        let threads = self.run.settings.threads;
        host_side::eval_struct(self, threads, persistent, scratch)
    }

    /// So many bytes for tensor `t`, which is output `output`: those that were lent to it, or its own.
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
        // Memory first: a refused change leaves the tensor as it was, without data.
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

    /// An observer sees all outputs.
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
    type Model<'a>
        = Called<'a>
    where
        Self: 'a;

    fn model(&mut self) -> Called<'_> {
        Called { run: self.run, phase: Phase::Prepare, delegate: self.partition.is_some() }
    }
}
