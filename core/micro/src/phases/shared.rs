//! `SharedArena`: several models that take turns in one block.
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

/// An arena for up to `N` models that run in turns.
pub struct SharedArena<'a, const N: usize> {
    models: [Option<Instance<'a>>; N],
    count: usize,
    arena: &'a Arena<'a>,
}

impl<'a, const N: usize> SharedArena<'a, N> {
    /// An empty arena.
    ///
    /// # Errors
    /// The block is too small for the arena's bookkeeping.
    pub fn new(block: &'a mut [u8]) -> Result<Self> {
        Self::of(Arena::new(block))
    }

    /// Like [`new`](Self::new), over two blocks; see [`LoadedModel::over_two`](crate::LoadedModel::over_two).
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn over_two(planned: &'a mut [u8], persistent: &'a mut [u8]) -> Result<Self> {
        Self::of(Arena::of_two(planned, persistent))
    }

    fn of(arena: Arena<'a>) -> Result<Self> {
        Ok(SharedArena { models: [const { None }; N], count: 0, arena: arena.into_tail()? })
    }

    /// Loads, prepares and plans a model, and returns its index. Inputs and outputs of the other models become invalid.
    ///
    /// # Errors
    /// Any error of these phases, or [`Error::Full`]. The other models are not affected.
    pub fn add(&mut self, model: &'a [u8], ops: Ops<'a>, planner: Planner) -> Result<usize> {
        let place = self.models.get_mut(self.count).ok_or(Error::Full { capacity: N })?;
        let (mark, head) = (self.arena.mark(), self.arena.head());
        let ready = self.arena.set_head(0).and_then(|()| {
            let instance = Instance::load(model, ops, self.arena)?;
            instance.prepare(self.arena)?;
            instance.plan(self.arena, planner, head as u64)?;
            Ok(instance)
        });
        match ready {
            Ok(instance) => {
                *place = Some(instance);
                self.count += 1;
                Ok(self.count - 1)
            }
            Err(error) => {
                // SAFETY: `add` failed, so the model that used this memory was dropped.
                unsafe { self.arena.release(mark) };
                self.arena.set_head(head as u64)?;
                Err(error)
            }
        }
    }

    /// Starts a model's turn.
    ///
    /// # Errors
    /// `model` is out of range.
    pub fn turn(&mut self, model: usize) -> Result<Turn<'_, 'a>> {
        let count = self.count;
        let instance = self.models.get_mut(model).and_then(Option::as_mut);
        let instance = instance.ok_or(Error::Index { index: model, count })?;
        Ok(Turn { instance, arena: self.arena })
    }

    /// How much arena all models use, by category.
    pub fn recording(&self) -> Recording {
        self.arena.recording()
    }
}
