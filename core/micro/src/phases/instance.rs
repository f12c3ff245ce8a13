//! `Instance`: a model over an arena, and the operation of each phase. The arena is a parameter, because it may be
//! shared.

use arenite_abi::raw::slice;
use arenite_abi::{Result as OpResult, host};
use arenite_model::{List, Model, ModelError, detail};
use arenite_planners::few::Records;
#[cfg(feature = "alloc")]
use {alloc::vec::Vec, arenite_abi::UsageRecord};

use super::plan::{self, Planner};
use crate::arena::{ALIGNMENT, Arena};
use crate::error::{Error, Result};
use crate::model::build;
use crate::model::graph::Graph;
use crate::model::machine::Machine;
use crate::model::observer::NodeObserver;
use crate::model::site::Site;
use crate::ops::{self, Ops};
use crate::work::{first_values, message, prepare, rehearse, run};
use arenite_abi::ElementType;

/// A model in any phase.
pub(crate) struct Instance<'a> {
    machine: Machine<'a>,
}

/// Name, type, shape and quantization of an input or output.
#[derive(Clone, Copy, Debug)]
pub struct TensorInfo<'t> {
    /// Name in the model.
    pub name: &'t str,
    /// Element type.
    pub ty: ElementType,
    /// Dimensions, outermost first.
    pub shape: &'t [i32],
    /// Scale and zero point, if the tensor has one of each.
    pub quantization: Option<(f32, i64)>,
}

impl<'a> Instance<'a> {
    pub(super) fn load(model: &'a [u8], ops: Ops<'a>, arena: &Arena<'a>) -> Result<Self> {
        let instance = Self::verified(model, ops, arena)?;
        instance.build(arena)?;
        Ok(instance)
    }

    /// A verified model without entries for tensors and nodes.
    #[inline(never)]
    pub(super) fn verified(model: &'a [u8], ops: Ops<'a>, arena: &Arena<'a>) -> Result<Self> {
        let address = model.as_ptr().addr();
        if !address.is_multiple_of(ALIGNMENT) {
            return Err(Error::Misaligned { address: detail(address) });
        }
        ops::check(ops)?;
        let model = verify(model, arena)?;
        Ok(Instance { machine: Machine::new(model, ops, arena)? })
    }

    /// Adds entries for tensors and nodes of the main subgraph.
    pub(super) fn build(&self, arena: &Arena<'a>) -> Result<()> {
        build::build(&self.machine, self.machine.main(), arena)
    }

    pub(super) fn prepare(&self, arena: &Arena<'a>) -> Result<()> {
        prepare::prepare(Site::main(&self.machine, arena))
    }

    /// Plans the head and makes it at least `least` bytes long.
    pub(super) fn plan(&self, arena: &Arena<'a>, planner: Planner, least: u64) -> Result<()> {
        self.plan_by(arena, &mut |records| planner.place(records), least)
    }

    /// Like [`plan`](Self::plan), with a planner whose offsets are correct.
    pub(super) fn plan_by(
        &self,
        arena: &Arena<'a>,
        planner: &mut dyn FnMut(&mut dyn Records) -> OpResult<()>,
        least: u64,
    ) -> Result<()> {
        let head = plan::place(&self.machine, arena, planner)?;
        arena.set_head(head.max(least))?;
        rehearse::rehearse(Site::main(&self.machine, arena))
    }

    #[cfg(feature = "alloc")]
    pub(super) fn records(&self, arena: &Arena<'a>) -> Result<Vec<UsageRecord>> {
        plan::records(&self.machine, arena)
    }

    #[cfg(feature = "std")]
    pub(super) fn machine(&self) -> &Machine<'a> {
        &self.machine
    }

    #[cfg(feature = "alloc")]
    pub(super) fn has_subgraphs(&self) -> bool {
        self.machine.model.subgraphs().len() > 1
    }

    pub(super) fn invoke(&mut self, arena: &Arena<'a>) -> Result<()> {
        // SAFETY: `message::HOST` keeps the contract: `parallel_for` calls its body on this thread, and `query` returns
        // null.
        unsafe { host::offer_host(&message::HOST) };
        self.machine.calls_left.set(self.machine.most_calls);
        run::run(Site::main(&self.machine, arena))
    }

    pub(super) fn limit_calls(&mut self, most: u32) {
        self.machine.most_calls = most;
    }

    pub(super) fn set_observer(&mut self, observer: Option<&'a dyn NodeObserver>) {
        self.machine.observer = observer;
    }

    /// Resets variables and the states of ops.
    pub(super) fn reset(&mut self) {
        for graph in self.machine.ready() {
            build::reset_variables(graph);
            graph.nodes.get().iter().for_each(|node| first_values::restore(&node.get()));
        }
    }

    fn main(&self) -> &Graph<'a> {
        self.machine.main()
    }

    pub(super) fn inputs(&self) -> List<'a, i32> {
        self.main().subgraph.inputs()
    }

    pub(super) fn outputs(&self) -> List<'a, i32> {
        self.main().subgraph.outputs()
    }

    pub(super) fn input(&mut self, index: usize) -> Result<&mut [u8]> {
        let t = port_tensor(self.inputs(), index)?;
        let slot = self.main().slot(t);
        if slot.is_constant() {
            let reason = "this input is a constant";
            return Err(Error::Tensor { subgraph: detail(0), tensor: detail(t), reason: detail(reason) });
        }
        let bytes = self.main().bytes(self.machine.model, t);
        // SAFETY: the plan gave the tensor `bytes` bytes of the arena, and `&mut self` prevents any other access.
        Ok(unsafe { core::slice::from_raw_parts_mut(slot.data, bytes) })
    }

    pub(super) fn output(&self, index: usize) -> Result<&[u8]> {
        let t = port_tensor(self.outputs(), index)?;
        // SAFETY: the tensor has this many bytes in the arena or in the model, and nothing can run while `self` is
        // borrowed.
        Ok(unsafe { slice(self.main().slot(t).data, self.main().bytes(self.machine.model, t)) })
    }

    pub(super) fn info(&self, list: List<'_, i32>, index: usize) -> Result<TensorInfo<'_>> {
        let t = port_tensor(list, index)?;
        let (tensor, slot) = (self.main().tensor(t)?, self.main().slot(t));
        let quantization = tensor.quantization().filter(|q| q.scale().len() == 1);
        Ok(TensorInfo {
            name: tensor.name().unwrap_or(""),
            ty: slot.element_type(),
            // SAFETY: the `rank` dimensions are in the model or in the arena's tail, and neither changes after it was
            // written.
            shape: unsafe { slice(slot.dims, usize::from(slot.rank)) },
            quantization: quantization.and_then(|q| Some((q.scale().get(0)?, q.zero_point().get(0)?))),
        })
    }
}

fn port_tensor(list: List<'_, i32>, index: usize) -> Result<usize> {
    let tensor = list.get(index).and_then(|t| usize::try_from(t).ok());
    tensor.ok_or(Error::Index { index: detail(index), count: detail(list.len()) })
}

/// Verifies the model. This uses temporary memory for a number per tensor.
#[inline(never)] // so that its values are not on the stack later
fn verify<'a>(bytes: &'a [u8], arena: &Arena<'_>) -> Result<Model<'a>> {
    match Model::new_in(bytes, &mut []) {
        Err(ModelError::ScratchTooSmall { needed, .. }) => {
            let mut scratch = arena.temporary(needed, |_| 0u32)?;
            Ok(Model::new_in(bytes, &mut scratch)?)
        }
        done => Ok(done?),
    }
}
