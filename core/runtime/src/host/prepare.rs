//! The host's side of `prepare`: collects the declarations and requests of an op or a partition.

use std::ffi::c_void;

use arenite_abi::host_side::{
    self, CallerSide, ConstantsSide, Declaration, HostSide, MemorySide, NodeSide, PrepareSide, Refusal, Share,
};
use arenite_abi::raw::{ArPrepareV1, ArSpan, ArStatus, ArTensorV1, TENSOR_DYNAMIC};
use arenite_abi::{AssignmentMut, ElementType, ObjectAssignment, ObjectRequest, UsageRecord};

use super::compile::{held_by, held_on_device_by};
use super::message::Refused;
use super::model::ModelHost;
use crate::config::PlannerConfig;
use crate::planning::objects;
use crate::planning::plan::PlanLimits;
use crate::stages::memory::Memory;
use crate::stages::partition_kernel::PartitionKernel;
use crate::stages::site::Site;
use crate::stages::values::VariableValue;

pub(crate) struct PrepareHost<'a, 'm> {
    outputs: &'a [i32],
    input_count: usize,
    /// The node that is prepared; `None` for a partition.
    node: Option<usize>,
    /// The partition that is prepared; `None` for a node.
    partition: Option<&'a PartitionKernel>,
    said: Vec<Declaration>,
    persistent: Vec<ArSpan>,
    scratch: Vec<ScratchRequest>,
    shares: Vec<Share>,
    values: Vec<VariableValue>,
    site: &'a mut Site<'m>,
}

/// A request for memory during one run of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScratchRequest {
    pub bytes: u64,
    pub alignment: u64,
}

/// The result of a successful `prepare`.
pub(crate) struct PrepareResult {
    /// An output's shape is known only after a run.
    pub dynamic: bool,
    /// All outputs are constants.
    pub constant: bool,
    pub persistent: Vec<ArSpan>,
    pub scratch: Vec<ScratchRequest>,
    pub shares: Vec<Share>,
    pub values: Vec<VariableValue>,
}

impl<'a, 'm> PrepareHost<'a, 'm> {
    pub(crate) fn new(
        outputs: &'a [i32],
        input_count: usize,
        (node, partition): (Option<usize>, Option<&'a PartitionKernel>),
        site: &'a mut Site<'m>,
    ) -> Self {
        PrepareHost {
            outputs,
            input_count,
            node,
            partition,
            said: vec![Declaration::Nothing; outputs.len()],
            persistent: Vec::new(),
            scratch: Vec::new(),
            shares: Vec::new(),
            values: Vec::new(),
            site,
        }
    }

    /// The struct for the plugin. It borrows `self`, which must not move until the call returns.
    pub(crate) fn as_raw(&mut self) -> ArPrepareV1 {
        host_side::prepare_struct(self)
    }

    /// The result, if all outputs are declared.
    pub(crate) fn finish(self) -> Result<PrepareResult, Refused> {
        let PrepareHost { outputs, said, persistent, scratch, shares, values, .. } = self;
        let host_side::Declarations { dynamic, constant } =
            host_side::declarations::<Refused>(outputs, &said)?;
        Ok(PrepareResult { dynamic, constant, persistent, scratch, shares, values })
    }
}

impl HostSide for PrepareHost<'_, '_> {
    type Refused = Refused;

    fn report(refused: Refused) -> ArStatus {
        refused.report()
    }
}

impl NodeSide for PrepareHost<'_, '_> {
    fn outputs(&self) -> &[i32] {
        self.outputs
    }

    fn tensor(&self, t: usize) -> ArTensorV1 {
        self.site.memory.table.get(t)
    }

    fn shape(&self, t: usize) -> &[i32] {
        self.site.memory.table.shape(t)
    }

    fn limit(&self) -> u64 {
        self.site.run.settings.quota.bytes
    }

    fn may_resize(&self, t: usize) -> bool {
        self.node.is_some_and(|node| self.site.graph.shapes_variable(node, t))
    }
}

impl PrepareSide for PrepareHost<'_, '_> {
    fn input_count(&self) -> usize {
        self.input_count
    }

    fn declaration(&mut self, output: usize) -> &mut Declaration {
        &mut self.said[output]
    }

    fn set_shape(&mut self, t: usize, dims: &[i32], ty: ElementType) {
        self.site.memory.table.set_shape(t, dims, ty);
        self.site.memory.check_room(t);
    }

    fn set_dynamic(&mut self, t: usize) {
        let table = &mut self.site.memory.table;
        table.set_flags(t, table.get(t).flags | TENSOR_DYNAMIC);
        table.set_data(t, std::ptr::null_mut());
    }

    fn set_constant(&mut self, t: usize, value: &[u8]) -> Result<(), Refused> {
        let Memory { table, constants, budget, .. } = &mut *self.site.memory;
        Ok(constants.set(t, table, value, budget)?)
    }

    fn set_value(&mut self, t: usize, value: &[u8]) -> Result<(), Refused> {
        let Memory { persistent, budget, .. } = &mut *self.site.memory;
        self.values.push(VariableValue::copy(t, value, persistent, budget)?);
        Ok(())
    }

    fn take_persistent(&mut self, bytes: usize, alignment: usize) -> Result<(u32, *mut c_void), Refused> {
        let Memory { persistent, budget, .. } = &mut *self.site.memory;
        let data = persistent.take(bytes, alignment, budget)?.cast::<c_void>();
        self.persistent.push(ArSpan { data, bytes: bytes as u64 });
        Ok((self.persistent.len() as u32 - 1, data))
    }

    fn note_scratch(&mut self, bytes: usize, alignment: usize) -> Result<u32, Refused> {
        self.scratch.push(ScratchRequest { bytes: bytes as u64, alignment: alignment as u64 });
        Ok(self.scratch.len() as u32 - 1)
    }

    fn note_share(&mut self, share: Share) -> Result<(), Refused> {
        self.shares.push(share);
        Ok(())
    }

    fn plan(&self, records: &[UsageRecord], mut plan: AssignmentMut<'_>) -> Result<(), Refused> {
        let found = self.site.run.settings.planner.plan(records, &PlanLimits::default())?;
        plan.offsets().iter_mut().zip(found.offsets).for_each(|(to, offset)| *to = offset);
        if found.optimal {
            plan.set_optimal();
        }
        Ok(())
    }

    fn assign(
        &self,
        planner: &str,
        request: &ObjectRequest<'_>,
        mut objects: ObjectAssignment<'_>,
    ) -> Result<(), Refused> {
        let run = self.site.run;
        let found = match planner {
            "" => objects::assign(&run.settings.planner, request, run.registry)?,
            name => objects::assign(
                &run.registry.choose_planner(&PlannerConfig::new(name))?,
                request,
                run.registry,
            )?,
        };
        let refuse = |error: arenite_abi::Error| Refused {
            status: error.status(),
            message: error.message().to_owned(),
        };
        let (ids, sizes) = objects.objects(found.sizes.len()).map_err(refuse)?;
        ids.copy_from_slice(&found.ids);
        sizes.copy_from_slice(&found.sizes);
        if let Some(partition) = self.partition {
            let planner = if planner.is_empty() { &run.settings.planner.name } else { planner };
            partition.note_objects(planner, request, found);
        }
        Ok(())
    }
}

impl ConstantsSide for PrepareHost<'_, '_> {
    fn release(&mut self, tensor: usize) -> bool {
        let table = &self.site.memory.table;
        let constant = tensor < table.len() && table.is_constant(tensor);
        if constant {
            self.site.run.release(table.constant_bytes(tensor));
        }
        constant
    }

    fn origin(&self) -> [u64; 4] {
        self.site.run.origin(self.site.graph.index)
    }
}

impl MemorySide for PrepareHost<'_, '_> {
    fn room(&self) -> u64 {
        self.partition.map_or(0, |partition| partition.held.room())
    }

    fn hold(&mut self, bytes: u64) -> Result<(), Refused> {
        match self.partition {
            Some(partition) => Ok(partition.held.set(bytes, &held_by(&partition.owner.name))?),
            None => Err(Refused::invalid(format_args!(
                "an op holds {bytes} bytes of its own; ops request memory in `prepare`"
            ))),
        }
    }

    fn device_room(&self) -> u64 {
        self.partition.map_or(0, |partition| partition.on_device.room())
    }

    fn hold_on_device(&mut self, bytes: u64) -> Result<(), Refused> {
        match self.partition {
            Some(partition) => {
                Ok(partition.on_device.set(bytes, &held_on_device_by(&partition.owner.name))?)
            }
            None => Err(Refused::invalid(format_args!("{bytes} bytes of a device are held by an op"))),
        }
    }
}

impl CallerSide for PrepareHost<'_, '_> {
    type Model<'a>
        = ModelHost<'a>
    where
        Self: 'a;

    fn model(&mut self) -> ModelHost<'_> {
        ModelHost { run: self.site.run, phase: self.site.phase, delegate: self.partition.is_some() }
    }
}
