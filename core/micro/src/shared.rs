//! `SharedArena`: several models over one block, which run in turns.
//!
//! ```text
//!  base                     head                        tail                        end
//!   │ planned buffers        │           free            │ of model 1 │ of model 0   │
//!   │ of whose turn it is    │                           │            │              │
//! ```
//!
//! The head is as large as the largest one; what is persistent adds up.

use crate::arena::Arena;
use crate::error::{Error, Result};
use crate::interpreter::Turn;
use crate::ops::Ops;
use crate::parts::Parts;
use crate::plan::Planner;
use crate::sizes::Recording;

/// A block that up to `N` models share, as long as they run in turns.
pub struct SharedArena<'a, const N: usize> {
    models: [Option<Parts<'a>>; N],
    count: usize,
    arena: &'a Arena<'a>,
}

impl<'a, const N: usize> SharedArena<'a, N> {
    /// Without models.
    ///
    /// # Errors
    /// A block that is too small for its own bookkeeping.
    pub fn new(block: &'a mut [u8]) -> Result<Self> {
        Self::of(Arena::new(block))
    }

    /// Over two blocks, as [`Loaded::over_two`](crate::Loaded::over_two).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn over_two(planned: &'a mut [u8], persistent: &'a mut [u8]) -> Result<Self> {
        Self::of(Arena::of_two(planned, persistent))
    }

    fn of(arena: Arena<'a>) -> Result<Self> {
        Ok(SharedArena { models: [const { None }; N], count: 0, arena: arena.into_tail()? })
    }

    /// Adds a model and makes it ready; gives its number. The values of the other models' inputs and outputs are lost.
    ///
    /// # Errors
    /// Those of all phases; [`Error::Full`]. The other models stay as they are.
    pub fn add(&mut self, model: &'a [u8], ops: Ops<'a>, planner: Planner) -> Result<usize> {
        let place = self.models.get_mut(self.count).ok_or(Error::Full { capacity: N })?;
        let (mark, head) = (self.arena.mark(), self.arena.head());
        let ready = self.arena.set_head(0).and_then(|()| {
            let parts = Parts::load(model, ops, self.arena)?;
            parts.prepare(self.arena)?;
            parts.plan(self.arena, planner, head as u64)?;
            Ok(parts)
        });
        match ready {
            Ok(parts) => {
                *place = Some(parts);
                self.count += 1;
                Ok(self.count - 1)
            }
            Err(error) => {
                // SAFETY: the model that it was taken for is gone.
                unsafe { self.arena.release(mark) };
                self.arena.set_head(head as u64)?;
                Err(error)
            }
        }
    }

    /// Lets a model run.
    ///
    /// # Errors
    /// There is no model with this number.
    pub fn turn(&mut self, model: usize) -> Result<Turn<'_, 'a>> {
        let count = self.count;
        let parts = self.models.get_mut(model).and_then(Option::as_mut);
        Ok(Turn(parts.ok_or(Error::Index { index: model, count })?, self.arena))
    }

    /// What was taken of the arena, and what for, all models together.
    pub fn recording(&self) -> Recording {
        self.arena.recording()
    }
}
