//! What the host lends to a node beyond its own tensors: the model's other subgraphs, and resources.
//!
//! An executor is taken out of its place while it is used, so a subgraph never calls itself.

use arenite_abi::host_side::ModelSide;
use arenite_abi::raw::{ArGraphV1, ArTensorV1};

use super::Refused;
use crate::run::Run;
use crate::stages::executor::Executor;
use crate::stages::step::Phase;

/// The model, for a node of one of its subgraphs.
pub(crate) struct Called<'a> {
    pub run: &'a Run<'a>,
    /// What subgraphs are prepared for.
    pub phase: Phase,
    /// A delegate asks.
    pub delegate: bool,
}

impl ModelSide for Called<'_> {
    type Refused = Refused;

    fn describe(&mut self, subgraph: u32) -> Result<*const ArGraphV1, Refused> {
        let delegate = self.delegate;
        Ok(self.run.with(subgraph as usize, |executor| match delegate {
            true => executor.describe_to_delegate(),
            false => Ok(executor.describe()),
        })?)
    }

    fn ports(&mut self, subgraph: u32) -> Result<(usize, usize), Refused> {
        let ports = |executor: &mut Executor| Ok((executor.graph.inputs.len(), executor.output_count()));
        Ok(self.run.with(subgraph as usize, ports)?)
    }

    unsafe fn set_input(&mut self, subgraph: u32, input: u32, value: &ArTensorV1) -> Result<(), Refused> {
        let run = self.run;
        // SAFETY: the host side requires of `set_input` that the value's arrays are readable for the call, as `offer` does.
        Ok(run.with(subgraph as usize, |executor| unsafe { executor.offer(input as usize, value, run) })?)
    }

    fn forward(&mut self, from: u32, to: u32) -> Result<(), Refused> {
        let run = self.run;
        Ok(run.with(from as usize, |source| {
            if from == to {
                return source.forward_to_itself(run);
            }
            run.with(to as usize, |target| {
                // SAFETY: outputs of one executor are not memory of another.
                (0..source.output_count())
                    .try_for_each(|i| unsafe { target.offer(i, &source.called_output(i)?, run) })
            })
        })?)
    }

    fn prepare(&mut self, subgraph: u32) -> Result<(), Refused> {
        Ok(self.run.prepare_called(subgraph as usize, self.phase)?)
    }

    fn invoke(&mut self, subgraph: u32) -> Result<(), Refused> {
        let run = self.run;
        run.count_call(subgraph as usize)?;
        Ok(run.descend(subgraph as usize, |executor| {
            executor.make_ready(run)?;
            executor.invoke(run)
        })?)
    }

    fn output(&mut self, subgraph: u32, output: u32) -> Result<ArTensorV1, Refused> {
        Ok(self.run.with(subgraph as usize, |executor| executor.called_output(output as usize))?)
    }

    fn open(&mut self, name: &[u8]) -> Result<i32, Refused> {
        Ok(self.run.resources.borrow_mut().open(name, &mut self.run.budget.clone())?)
    }

    fn value(&mut self, handle: i32) -> Result<ArTensorV1, Refused> {
        Ok(self.run.resources.borrow().value(handle)?)
    }

    unsafe fn assign(&mut self, handle: i32, value: &ArTensorV1) -> Result<(), Refused> {
        let mut resources = self.run.resources.borrow_mut();
        // SAFETY: the host side requires of `assign` that the value's arrays are readable for the call, as `Resources::assign` does.
        Ok(unsafe { resources.assign(handle, value, &mut self.run.budget.clone()) }?)
    }
}
