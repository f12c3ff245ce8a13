//! The phases: each is a value that the one before becomes, so that nothing is done at the wrong time.
//!
//! ```text
//! bytes, ops, arena ─► Loaded ─► PreparedModel ─► Interpreter ─► invoke, as often as wanted
//!                      verified   every node has    everything
//!                                 an op             has its place
//! ```

use arenite_abi::ElementType;
#[cfg(feature = "alloc")]
use {alloc::vec::Vec, arenite_abi::UsageRecord};

use crate::arena::Arena;
use crate::error::Result;
use crate::ops::{OpRegistration, Ops};
use crate::parts::Parts;
use crate::plan::Planner;
use crate::sizes::{Recording, Sizes};

/// A verified model, and bookkeeping for it.
pub struct Loaded<'a>(Parts<'a>, Arena<'a>);

/// A model each of whose nodes has an op that is prepared.
pub struct PreparedModel<'a>(Parts<'a>, Arena<'a>);

/// A model that is ready to run.
///
/// What it computes lies in the arena: the values of its inputs are overwritten while it runs, those of its outputs last until the next
/// invocation.
pub struct Interpreter<'a>(Parts<'a>, Arena<'a>);

/// A model's turn at a [`SharedArena`](crate::SharedArena). The values of its inputs and outputs last until the next model's turn.
pub struct Turn<'t, 'a>(pub(crate) &'t mut Parts<'a>, pub(crate) &'a Arena<'a>);

/// A tensor, as callers see it.
#[derive(Clone, Copy, Debug)]
pub struct TensorInfo<'t> {
    /// Its name in the model.
    pub name: &'t str,
    /// Element type.
    pub ty: ElementType,
    /// Dimensions, outermost first.
    pub shape: &'t [i32],
    /// The scale and the zero point of a tensor that has one of each.
    pub quantization: Option<(f32, i64)>,
}

impl<'a> Loaded<'a> {
    /// Verifies a model, whose bytes begin at a multiple of 16, and takes what is needed for each of its tensors and nodes from the arena.
    ///
    /// # Errors
    /// A malformed or misaligned model, two ops for the same nodes, an arena that is too small, a tensor that cannot be held here.
    pub fn new(model: &'a [u8], ops: &'a [OpRegistration], arena: &'a mut [u8]) -> Result<Self> {
        Self::with(model, Ops::List(ops), arena)
    }

    /// The same for ops that lie wherever they are.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(model: &'a [u8], ops: Ops<'a>, arena: &'a mut [u8]) -> Result<Self> {
        Self::over(model, ops, Arena::new(arena))
    }

    /// The same over two blocks: what is planned or temporary lies in the first, which may be small and fast, what is persistent in the
    /// second. [`Recording::planned`] and [`Recording::persistent`] tell how large they must be.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn over_two(
        model: &'a [u8],
        ops: Ops<'a>,
        planned: &'a mut [u8],
        persistent: &'a mut [u8],
    ) -> Result<Self> {
        Self::over(model, ops, Arena::of_two(planned, persistent))
    }

    pub(crate) fn over(model: &'a [u8], ops: Ops<'a>, arena: Arena<'a>) -> Result<Self> {
        Ok(Loaded(Parts::load(model, ops, &arena)?, arena))
    }

    /// Prepares every node, in order.
    ///
    /// # Errors
    /// A node that no op serves, or that its op refuses; an arena that is too small.
    pub fn prepare(self) -> Result<PreparedModel<'a>> {
        self.0.prepare(&self.1)?;
        Ok(PreparedModel(self.0, self.1))
    }
}

impl<'a> PreparedModel<'a> {
    /// What [`plan`](Self::plan) places in the head: tensors, then scratch buffers.
    ///
    /// # Errors
    /// As [`plan`](Self::plan).
    #[cfg(feature = "alloc")]
    pub fn records(&self) -> Result<Vec<UsageRecord>> {
        self.0.records(&self.1)
    }

    /// Gives every tensor and scratch buffer its place.
    ///
    /// # Errors
    /// An arena that is too small for the plan, or for the node that needs the most to run.
    pub fn plan(self, planner: Planner) -> Result<Interpreter<'a>> {
        self.0.plan(&self.1, planner, 0)?;
        Ok(Interpreter(self.0, self.1))
    }
}

impl<'a> Interpreter<'a> {
    /// All phases at once.
    ///
    /// The ops come from [`Resolver`](crate::Resolver) or [`registration`](arenite_abi::op::registration). Structs whose functions nobody
    /// vouches for are refused by the compiler:
    ///
    /// ```compile_fail,E0308
    /// # use arenite_abi::{Op, op::registration, raw::ArOpV1};
    /// # use arenite_micro::Interpreter;
    /// fn mixed<A: Op, B: Op>(model: &[u8], arena: &mut [u8]) {
    ///     let op = ArOpV1 { eval: registration::<B>().eval, ..registration::<A>().into_raw() };
    ///     Interpreter::new(model, &[op], arena);
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of [`Loaded::new`], [`Loaded::prepare`] and [`PreparedModel::plan`].
    pub fn new(model: &'a [u8], ops: &'a [OpRegistration], arena: &'a mut [u8]) -> Result<Self> {
        Loaded::new(model, ops, arena)?.prepare()?.plan(Planner::Greedy)
    }

    /// What the model needs of an arena.
    pub fn sizes(&self) -> Sizes {
        self.recording().sizes()
    }

    #[cfg(feature = "alloc")]
    pub(crate) fn has_subgraphs(&self) -> bool {
        self.0.has_subgraphs()
    }

    /// What was taken of the arena, and what for.
    pub fn recording(&self) -> Recording {
        self.1.recording()
    }
}

macro_rules! runs {
    ($($model:ty),*) => {$(
        impl $model {
            /// Runs the model once.
            ///
            /// # Errors
            /// What an op says that fails.
            pub fn invoke(&mut self) -> Result<()> {
                self.0.invoke(&self.1)
            }

            /// Lets nodes call subgraphs at most so often in one invocation: a loop without end is refused then. Ten million, unless this
            /// is called.
            pub fn limit_calls(&mut self, most: u32) {
                self.0.limit_calls(most);
            }

            /// Gives variables and the states of ops their first values. Resources keep theirs.
            pub fn reset(&mut self) {
                self.0.reset();
            }

            /// Bytes of an input, to be written before each invocation.
            ///
            /// # Errors
            /// There is no such input.
            pub fn input(&mut self, index: usize) -> Result<&mut [u8]> {
                self.0.input(index)
            }

            /// Bytes of an output, as the last invocation left them.
            ///
            /// # Errors
            /// There is no such output.
            pub fn output(&self, index: usize) -> Result<&[u8]> {
                self.0.output(index)
            }

            /// What an input is.
            ///
            /// # Errors
            /// There is no such input.
            pub fn input_info(&self, index: usize) -> Result<TensorInfo<'_>> {
                self.0.info(self.0.inputs(), index)
            }

            /// What an output is.
            ///
            /// # Errors
            /// There is no such output.
            pub fn output_info(&self, index: usize) -> Result<TensorInfo<'_>> {
                self.0.info(self.0.outputs(), index)
            }

            /// Number of inputs.
            pub fn input_count(&self) -> usize {
                self.0.inputs().len()
            }

            /// Number of outputs.
            pub fn output_count(&self) -> usize {
                self.0.outputs().len()
            }
        }
    )*};
}
runs!(Interpreter<'_>, Turn<'_, '_>);
