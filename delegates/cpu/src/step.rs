//! The units of work of a program, and the memory and threads that they use.

mod run;

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::memory::{InPlace, Lead};

pub(crate) use run::{Grain, HandedOut, Inputs, Ports, Run};

/// An executable step of a program.
pub(crate) trait Step: Send + Sync {
    /// Computes all outputs.
    fn run(&self, cx: &Run<'_>) -> Result<()>;

    /// The name that profiles show.
    fn name(&self) -> &'static str;

    /// Where its packed weights begin.
    fn weights(&self) -> PrefetchAddress {
        PrefetchAddress::NOTHING
    }

    /// Receives the address of the next step's weights, to prefetch them.
    fn follow(&mut self, _next: PrefetchAddress) {}

    /// Bytes of scratch memory, at a multiple of 64, that `run` gets.
    fn scratch(&self) -> usize {
        0
    }

    /// Shrinks the scratch memory towards `bytes`, as far as the step stays as fast on one thread. Results keep every
    /// bit.
    fn shrink_scratch(&mut self, _bytes: usize) {}

    /// Whether output 0 may overwrite this input in place.
    fn in_place(&self, _input: Id) -> InPlace {
        InPlace::NEVER
    }

    /// How many bytes before this input output 0 must start to overwrite it while it is read, or `None` if it must not
    /// overlap it.
    fn lead(&self, _input: Id) -> Option<Lead> {
        None
    }
}

/// The input and the output of a step that has one of each.
#[derive(Clone, Copy)]
pub(crate) struct StepValues {
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

/// An address to prefetch. It is never dereferenced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PrefetchAddress(usize);

impl PrefetchAddress {
    /// None.
    pub(crate) const NOTHING: PrefetchAddress = PrefetchAddress(0);

    /// Where these weights begin.
    pub(crate) fn of(weights: &[f32]) -> PrefetchAddress {
        PrefetchAddress(weights.as_ptr().addr())
    }

    /// The address.
    pub(crate) fn address(self) -> *const f32 {
        std::ptr::without_provenance(self.0)
    }
}
