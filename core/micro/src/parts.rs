//! `Parts`: what all phases of a model have, and what each of them does, over an arena that is the model's own or lent.

use arenite_abi::host;
use arenite_abi::raw::slice;
use arenite_model::{List, Model, ModelError};
#[cfg(feature = "alloc")]
use {alloc::vec::Vec, arenite_abi::UsageRecord};

use crate::arena::{ALIGNMENT, Arena};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::interpreter::TensorInfo;
use crate::machine::{Machine, Site};
use crate::message;
use crate::ops::{self, Ops};
use crate::plan::{self, Planner};

/// A model, in whichever phase.
pub(crate) struct Parts<'a>(Machine<'a>);

impl<'a> Parts<'a> {
    pub fn load(model: &'a [u8], ops: Ops<'a>, arena: &Arena<'a>) -> Result<Self> {
        let address = model.as_ptr().addr();
        if !address.is_multiple_of(ALIGNMENT) {
            return Err(Error::Misaligned { address });
        }
        ops::check(ops)?;
        let model = verified(model, arena)?;
        Ok(Parts(Machine::new(model, ops, arena)?))
    }

    pub fn prepare(&self, arena: &Arena<'a>) -> Result<()> {
        Site::main(&self.0, arena).prepare()
    }

    /// Plans the head, which has at least `least` bytes.
    pub fn plan(&self, arena: &Arena<'a>, planner: Planner, least: u64) -> Result<()> {
        let head = plan::place(&self.0, arena, planner)?;
        arena.set_head(head.max(least))?;
        Site::main(&self.0, arena).rehearse()
    }

    #[cfg(feature = "alloc")]
    pub fn records(&self, arena: &Arena<'a>) -> Result<Vec<UsageRecord>> {
        plan::records(&self.0, arena)
    }

    #[cfg(feature = "alloc")]
    pub fn has_subgraphs(&self) -> bool {
        self.0.model.subgraphs().len() > 1
    }

    pub fn invoke(&mut self, arena: &Arena<'a>) -> Result<()> {
        // SAFETY: the functions of `message::HOST` keep the contract: its loops run on this thread, and it lends no interface.
        unsafe { host::offer_host(&message::HOST) };
        self.0.calls_left.set(self.0.most_calls);
        Site::main(&self.0, arena).run()
    }

    pub fn limit_calls(&mut self, most: u32) {
        self.0.most_calls = most;
    }

    pub fn reset(&mut self) {
        self.0.reset();
    }

    fn main(&self) -> &Graph<'a> {
        self.0.main()
    }

    pub fn inputs(&self) -> List<'a, i32> {
        self.main().subgraph.inputs()
    }

    pub fn outputs(&self) -> List<'a, i32> {
        self.main().subgraph.outputs()
    }

    pub fn input(&mut self, index: usize) -> Result<&mut [u8]> {
        let t = tensor(self.inputs(), index)?;
        let slot = self.main().slot(t);
        if slot.is_constant() {
            let reason = "it is an input whose value stands in the model";
            return Err(Error::Tensor { subgraph: 0, tensor: t, reason });
        }
        let bytes = self.main().bytes(self.0.model, t);
        // SAFETY: the tensor has so many bytes in the arena, and this borrows all that runs there.
        Ok(unsafe { core::slice::from_raw_parts_mut(slot.data, bytes) })
    }

    pub fn output(&self, index: usize) -> Result<&[u8]> {
        let t = tensor(self.outputs(), index)?;
        // SAFETY: the tensor has so many bytes in the arena or in the model, which nobody writes while this is borrowed.
        Ok(unsafe { slice(self.main().slot(t).data, self.main().bytes(self.0.model, t)) })
    }

    pub fn info(&self, list: List<'_, i32>, index: usize) -> Result<TensorInfo<'_>> {
        let t = tensor(list, index)?;
        let (tensor, slot) = (self.main().tensor(t)?, self.main().slot(t));
        let quantization = tensor.quantization().filter(|q| q.scale().len() == 1);
        Ok(TensorInfo {
            name: tensor.name().unwrap_or(""),
            ty: slot.element_type(),
            // SAFETY: the shape lies in the model or at the arena's tail, and is not written any more.
            shape: unsafe { slice(slot.dims, usize::from(slot.rank)) },
            quantization: quantization.and_then(|q| Some((q.scale().get(0)?, q.zero_point().get(0)?))),
        })
    }
}

fn tensor(list: List<'_, i32>, index: usize) -> Result<usize> {
    let tensor = list.get(index).and_then(|t| usize::try_from(t).ok());
    tensor.ok_or(Error::Index { index, count: list.len() })
}

/// The model; to verify it takes memory for a number per tensor.
fn verified<'a>(bytes: &'a [u8], arena: &Arena<'_>) -> Result<Model<'a>> {
    match Model::new_in(bytes, &mut []) {
        Err(ModelError::ScratchTooSmall { needed, .. }) => {
            let mut scratch = arena.temporary(needed, |_| 0u32)?;
            Ok(Model::new_in(bytes, &mut scratch)?)
        }
        done => Ok(done?),
    }
}
