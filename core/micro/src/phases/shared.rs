//! `SharedArena` and `SharedMemory`: several models that take turns in one block.
//!
//! ```text
//!  base                     head                        tail                        end
//!   │ planned buffers        │           free            │ of model 1 │ of model 0   │
//!   │ of the current model   │                           │            │              │
//! ```
//!
//! The head has the size of the largest model's; persistent memory adds up.

use super::instance::Instance;
use super::interpreter::Turn;
use super::plan::Planner;
use crate::arena::{Arena, Recording};
use crate::error::{Error, Result};
use crate::ops::Ops;
use arenite_model::detail;

/// The memory of models that take turns. [`SharedArena`] keeps the models, too.
#[derive(Clone, Copy)]
pub struct SharedMemory<'a> {
    arena: &'a Arena<'a>,
}

impl<'a> SharedMemory<'a> {
    /// Memory without models.
    ///
    /// # Errors
    /// The block is too small for the arena's bookkeeping.
    pub fn new(block: &'a mut [u8]) -> Result<Self> {
        Ok(SharedMemory { arena: Arena::new(block).into_tail()? })
    }

    /// Like [`new`](Self::new), over two blocks; see [`LoadedModel::over_two`](crate::LoadedModel::over_two).
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn over_two(planned: &'a mut [u8], persistent: &'a mut [u8]) -> Result<Self> {
        Ok(SharedMemory { arena: Arena::of_two(planned, persistent).into_tail()? })
    }

    /// Loads, prepares and plans a model. Inputs and outputs of the other models become invalid.
    ///
    /// # Errors
    /// Any error of these phases. The other models are not affected.
    ///
    /// # Safety
    /// One model at a time may run, and no input or output of one may be in use while another one runs or is added.
    pub unsafe fn add(self, model: &'a [u8], ops: Ops<'a>, planner: Planner) -> Result<SharedModel<'a>> {
        let SharedMemory { arena } = self;
        let (mark, head) = (arena.mark(), arena.head());
        let ready = arena.set_head(0).and_then(|()| {
            let instance = Instance::load(model, ops, arena)?;
            instance.prepare(arena)?;
            instance.plan(arena, planner, head as u64)?;
            Ok(instance)
        });
        match ready {
            Ok(instance) => Ok(SharedModel { instance, arena }),
            Err(error) => {
                // SAFETY: `add` failed, so the model that used this memory was dropped.
                unsafe { arena.release(mark) };
                arena.set_head(head as u64)?;
                Err(error)
            }
        }
    }

    /// How much memory all models use, by category.
    pub fn recording(&self) -> Recording {
        self.arena.recording()
    }
}

/// A model in a [`SharedMemory`].
pub struct SharedModel<'a> {
    pub(super) instance: Instance<'a>,
    pub(super) arena: &'a Arena<'a>,
}

impl<'a> SharedModel<'a> {
    /// Starts the model's turn.
    pub fn turn(&mut self) -> Turn<'_, 'a> {
        Turn { instance: &mut self.instance, arena: self.arena }
    }

    /// How much memory all models use, by category.
    pub fn recording(&self) -> Recording {
        self.arena.recording()
    }

    /// Number of inputs.
    pub fn input_count(&self) -> usize {
        self.instance.inputs().len()
    }

    /// Number of outputs.
    pub fn output_count(&self) -> usize {
        self.instance.outputs().len()
    }
}

/// An arena for up to `N` models that run in turns.
pub struct SharedArena<'a, const N: usize> {
    models: [Option<SharedModel<'a>>; N],
    count: usize,
    memory: SharedMemory<'a>,
}

impl<'a, const N: usize> SharedArena<'a, N> {
    /// An empty arena.
    ///
    /// # Errors
    /// The block is too small for the arena's bookkeeping.
    pub fn new(block: &'a mut [u8]) -> Result<Self> {
        Ok(Self::of(SharedMemory::new(block)?))
    }

    /// Like [`new`](Self::new), over two blocks; see [`LoadedModel::over_two`](crate::LoadedModel::over_two).
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn over_two(planned: &'a mut [u8], persistent: &'a mut [u8]) -> Result<Self> {
        Ok(Self::of(SharedMemory::over_two(planned, persistent)?))
    }

    fn of(memory: SharedMemory<'a>) -> Self {
        SharedArena { models: [const { None }; N], count: 0, memory }
    }

    /// Loads, prepares and plans a model, and returns its index. Inputs and outputs of the other models become invalid.
    ///
    /// # Errors
    /// Any error of these phases, or [`Error::Full`]. The other models are not affected.
    pub fn add(&mut self, model: &'a [u8], ops: Ops<'a>, planner: Planner) -> Result<usize> {
        let place = self.models.get_mut(self.count).ok_or(Error::Full { capacity: detail(N) })?;
        // SAFETY: `memory` is private, and `self` is borrowed while a model runs or its inputs and outputs are in use.
        *place = Some(unsafe { self.memory.add(model, ops, planner) }?);
        self.count += 1;
        Ok(self.count - 1)
    }

    /// Starts a model's turn.
    ///
    /// # Errors
    /// `model` is out of range.
    pub fn turn(&mut self, model: usize) -> Result<Turn<'_, 'a>> {
        let count = self.count;
        let model_of = self.models.get_mut(model).and_then(Option::as_mut);
        Ok(model_of.ok_or(Error::Index { index: detail(model), count: detail(count) })?.turn())
    }

    /// How much arena all models use, by category.
    pub fn recording(&self) -> Recording {
        self.memory.recording()
    }
}
