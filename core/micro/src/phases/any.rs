//! `AnyPhase`: a model in any phase, in one place.

use arenite_abi::Result as OpResult;
use arenite_model::detail;
use arenite_planners::few::Records;

use super::instance::Instance;
use super::interpreter::Turn;
use super::plan::{Planner, check_placed};
use super::shared::SharedModel;
use crate::arena::{Arena, Recording};
use crate::error::{Error, Result};
use crate::ops::Ops;

/// How far a model has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It is verified; prepare comes next.
    Loaded,
    /// Every node is prepared; plan comes next.
    Prepared,
    /// It can run.
    Ready,
}

/// A model in any phase, for programs that keep it in one place in memory. A call at the wrong time fails with
/// [`Error::Phase`]; after any other error only [`stage`](Self::stage) and dropping it make sense.
pub struct AnyPhase<'a> {
    instance: Instance<'a>,
    arena: ArenaPlace<'a>,
    stage: Stage,
}

/// The arena of one model, or of several.
#[allow(clippy::large_enum_variant)] // There is no heap to move it to.
enum ArenaPlace<'a> {
    Own(Arena<'a>),
    Shared(&'a Arena<'a>),
}

impl<'a> ArenaPlace<'a> {
    fn arena(&self) -> &Arena<'a> {
        match self {
            ArenaPlace::Own(arena) => arena,
            ArenaPlace::Shared(arena) => arena,
        }
    }
}

impl<'a> From<SharedModel<'a>> for AnyPhase<'a> {
    fn from(SharedModel { instance, arena }: SharedModel<'a>) -> Self {
        AnyPhase { instance, arena: ArenaPlace::Shared(arena), stage: Stage::Ready }
    }
}

impl<'a> AnyPhase<'a> {
    /// Loads a model to `place`, as [`LoadedModel::with`](crate::LoadedModel::with) does.
    ///
    /// # Errors
    /// As for [`LoadedModel::with`](crate::LoadedModel::with); `place` is then empty.
    pub fn load(place: &mut Option<Self>, model: &'a [u8], ops: Ops<'a>, arena: &'a mut [u8]) -> Result<()> {
        Self::load_over(place, model, ops, Arena::new(arena))
    }

    /// Loads a model to `place`, as [`LoadedModel::over_two`](crate::LoadedModel::over_two) does.
    ///
    /// # Errors
    /// As for [`LoadedModel::over_two`](crate::LoadedModel::over_two); `place` is then empty.
    pub fn load_over_two(
        place: &mut Option<Self>,
        model: &'a [u8],
        ops: Ops<'a>,
        planned: &'a mut [u8],
        persistent: &'a mut [u8],
    ) -> Result<()> {
        Self::load_over(place, model, ops, Arena::of_two(planned, persistent))
    }

    #[inline(never)]
    fn load_over(place: &mut Option<Self>, model: &'a [u8], ops: Ops<'a>, arena: Arena<'a>) -> Result<()> {
        *place = None;
        let instance = Instance::verified(model, ops, &arena)?;
        let loaded = place.insert(AnyPhase { instance, arena: ArenaPlace::Own(arena), stage: Stage::Loaded });
        let built = loaded.instance.build(loaded.arena.arena());
        if built.is_err() {
            *place = None;
        }
        built
    }

    /// How far the model has come.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    fn demand(&self, stage: Stage) -> Result<()> {
        match self.stage == stage {
            true => Ok(()),
            false => Err(Error::Phase(detail("the model is in another phase"))),
        }
    }

    /// Prepares every node, in order.
    ///
    /// # Errors
    /// As for [`LoadedModel::prepare`](crate::LoadedModel::prepare).
    pub fn prepare(&mut self) -> Result<()> {
        self.demand(Stage::Loaded)?;
        self.instance.prepare(self.arena.arena())?;
        self.stage = Stage::Prepared;
        Ok(())
    }

    /// Places every tensor and scratch buffer.
    ///
    /// # Errors
    /// As for [`PreparedModel::plan`](crate::PreparedModel::plan).
    pub fn plan(&mut self, planner: Planner) -> Result<()> {
        self.plan_by(&mut |records| planner.place(records))
    }

    /// Like [`plan`](Self::plan), with a planner of the program.
    ///
    /// # Errors
    /// As for [`PreparedModel::plan_with`](crate::PreparedModel::plan_with).
    pub fn plan_with(&mut self, planner: &mut dyn FnMut(&mut dyn Records) -> OpResult<()>) -> Result<()> {
        self.plan_by(&mut |records| planner(records).and_then(|()| check_placed(records)))
    }

    fn plan_by(&mut self, planner: &mut dyn FnMut(&mut dyn Records) -> OpResult<()>) -> Result<()> {
        self.demand(Stage::Prepared)?;
        self.instance.plan_by(self.arena.arena(), planner, 0)?;
        self.stage = Stage::Ready;
        Ok(())
    }

    /// The model and its arena, if it can run.
    pub fn turn(&mut self) -> Option<Turn<'_, 'a>> {
        match self.stage {
            Stage::Ready => Some(Turn { instance: &mut self.instance, arena: self.arena.arena() }),
            _ => None,
        }
    }

    /// How much arena is in use, by category.
    pub fn recording(&self) -> Recording {
        self.arena.arena().recording()
    }

    /// The number of inputs and of outputs; 0 unless the model can run.
    pub fn port_counts(&self) -> (usize, usize) {
        match self.stage {
            Stage::Ready => (self.instance.inputs().len(), self.instance.outputs().len()),
            _ => (0, 0),
        }
    }
}
