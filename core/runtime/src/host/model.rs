//! Access for a node to more than its own tensors: the model's other subgraphs, and resources.
//!
//! An executor leaves its slot while it runs, so a subgraph can never call itself.

use arenite_abi::host_side::ModelSide;
use arenite_abi::raw::{ArGraphV1, ArTensorV1};

use super::message::Refused;
use crate::call::phase::Phase;
use crate::call::run::Run;

/// The model, for a node of one of its subgraphs.
pub(crate) struct ModelHost<'a> {
    pub run: &'a Run<'a>,
    /// The purpose for which subgraphs are prepared.
    pub phase: Phase,
    /// A delegate asked for the subgraph.
    pub delegate: bool,
}

impl ModelSide for ModelHost<'_> {
    type Refused = Refused;

    fn describe(&mut self, subgraph: u32) -> Result<*const ArGraphV1, Refused> {
        let delegate = self.delegate;
        Ok(self.run.with(subgraph as usize, |callee| match delegate {
            true => callee.describe_to_delegate(),
            false => Ok(callee.describe()),
        })?)
    }

    fn ports(&mut self, subgraph: u32) -> Result<(usize, usize), Refused> {
        Ok(self.run.with(subgraph as usize, |callee| Ok((callee.input_count(), callee.output_count())))?)
    }

    unsafe fn set_input(&mut self, subgraph: u32, input: u32, value: &ArTensorV1) -> Result<(), Refused> {
        let run = self.run;
        // SAFETY: the value's arrays are readable for the call: `host_side` requires it of `set_input`, and so does the
        // callee.
        Ok(run.with(subgraph as usize, |callee| unsafe { callee.set_input(input as usize, value, run) })?)
    }

    fn forward(&mut self, from: u32, to: u32) -> Result<(), Refused> {
        let run = self.run;
        Ok(run.with(from as usize, |source| {
            if from == to {
                return source.forward_to_itself(run);
            }
            run.with(to as usize, |target| {
                // SAFETY: the outputs are memory of one executor, which no other executor uses.
                (0..source.output_count())
                    .try_for_each(|i| unsafe { target.set_input(i, &source.output(i)?, run) })
            })
        })?)
    }

    fn prepare(&mut self, subgraph: u32) -> Result<(), Refused> {
        Ok(self.run.prepare_called(subgraph as usize, self.phase)?)
    }

    fn invoke(&mut self, subgraph: u32) -> Result<(), Refused> {
        let run = self.run;
        run.usage.count_call(subgraph as usize, &run.settings.quota)?;
        Ok(run.descend(subgraph as usize, |callee| {
            callee.make_ready(run)?;
            callee.invoke(run)
        })?)
    }

    fn output(&mut self, subgraph: u32, output: u32) -> Result<ArTensorV1, Refused> {
        Ok(self.run.with(subgraph as usize, |callee| callee.output(output as usize))?)
    }

    fn open(&mut self, name: &[u8]) -> Result<i32, Refused> {
        Ok(self.run.resources.borrow_mut().open(name, &mut self.run.budget.clone())?)
    }

    fn value(&mut self, handle: i32) -> Result<ArTensorV1, Refused> {
        Ok(self.run.resources.borrow().value(handle)?)
    }

    unsafe fn assign(&mut self, handle: i32, value: &ArTensorV1) -> Result<(), Refused> {
        let mut resources = self.run.resources.borrow_mut();
        // SAFETY: the value's arrays are readable for the call: `host_side` requires it of `assign`, for
        // `Resources::assign`.
        Ok(unsafe { resources.assign(handle, value, self.run.budget) }?)
    }
}
