//! `ArMicro`: an interpreter in the program's memory, and its phase.
//!
//! ```text
//! zeros ─► load ─► Loaded ─► prepare ─► Prepared ─► plan ─► Ready ─► close ─► zeros
//!       └► add ─► Shared ─► close ─► zeros
//! ```
//!
//! A call in the wrong phase is rejected. A call that fails leaves zeros.

use core::mem::MaybeUninit;

use arenite_micro::{Error, Interpreter, LoadedModel, PreparedModel, Recording, SharedModel, Turn};

use crate::status::{self, ArMicroStatus, PHASE};

/// Number of words of the header's `ArMicro` that hold the phase.
const ROOM: usize = 72;

/// An interpreter. The model, the ops and the arena belong to the program and stay valid until it is closed, hence
/// `'static`.
#[repr(C)]
pub(crate) struct ArMicro {
    /// Whether `room` holds a phase: 0 or 1.
    is_open: usize,
    /// The size in bytes that the last call found the arena to need; 0 if it was large enough.
    pub(crate) needed: usize,
    room: MaybeUninit<Room>,
}

#[repr(C, align(8))]
struct Room([usize; ROOM]);

const _: () = assert!(size_of::<Phase>() <= size_of::<Room>() && align_of::<Phase>() <= align_of::<Room>());

/// The phase of an interpreter.
pub(crate) enum Phase {
    Loaded(LoadedModel<'static>),
    Prepared(PreparedModel<'static>),
    Ready(Interpreter<'static>),
    Shared(SharedModel<'static>),
}

impl Phase {
    fn name(&self) -> &'static str {
        match self {
            Phase::Loaded(_) => "loaded: prepare comes next",
            Phase::Prepared(_) => "prepared: plan comes next",
            Phase::Ready(_) | Phase::Shared(_) => "ready to run: close comes before another model",
        }
    }

    /// The number of inputs and of outputs; 0 unless the model is ready to run.
    pub(crate) fn counts(&self) -> (usize, usize) {
        match self {
            Phase::Ready(model) => (model.input_count(), model.output_count()),
            Phase::Shared(model) => (model.input_count(), model.output_count()),
            _ => (0, 0),
        }
    }

    /// The use of the arena, if the model is ready to run.
    pub(crate) fn recording(&self) -> Option<Recording> {
        match self {
            Phase::Ready(model) => Some(model.recording()),
            Phase::Shared(model) => Some(model.recording()),
            _ => None,
        }
    }
}

impl ArMicro {
    pub(crate) fn phase(&self) -> Option<&Phase> {
        // SAFETY: `is_open` is 1 only after `set` wrote a phase to `room`, until `take` moves it out.
        (self.is_open != 0).then(|| unsafe { &*self.room.as_ptr().cast::<Phase>() })
    }

    pub(crate) fn phase_mut(&mut self) -> Option<&mut Phase> {
        // SAFETY: `is_open` is 1 only after `set` wrote a phase to `room`, until `take` moves it out.
        (self.is_open != 0).then(|| unsafe { &mut *self.room.as_mut_ptr().cast::<Phase>() })
    }

    /// Moves the phase out, so that the interpreter is empty.
    pub(crate) fn take(&mut self) -> Option<Phase> {
        let is_open = core::mem::take(&mut self.is_open) != 0;
        // SAFETY: `is_open` was 1, so `room` holds a phase, and it is now 0, so the phase is moved out only once.
        is_open.then(|| unsafe { self.room.as_ptr().cast::<Phase>().read() })
    }

    /// Stores the next phase, or reports why it was not reached. The interpreter must be empty.
    pub(crate) fn set(&mut self, next: Result<Phase, Error>) -> ArMicroStatus {
        self.needed = 0;
        match next {
            Ok(phase) => {
                // SAFETY: `room` is large enough for a phase and aligned for it.
                unsafe { self.room.as_mut_ptr().cast::<Phase>().write(phase) };
                self.is_open = 1;
                status::OK
            }
            Err(error) => {
                if let Error::Arena { needed, .. } | Error::PersistentArena { needed, .. } = error {
                    self.needed = needed;
                }
                status::failed(&error)
            }
        }
    }

    /// The model, if it is ready to run.
    pub(crate) fn ready(&mut self) -> Result<Turn<'_, 'static>, ArMicroStatus> {
        match self.phase_mut() {
            Some(Phase::Ready(interpreter)) => Ok(interpreter.turn()),
            Some(Phase::Shared(model)) => Ok(model.turn()),
            other => Err(wrong("it is not ready to run", other.map(|phase| &*phase))),
        }
    }
}

/// The error of a call in the wrong phase.
pub(crate) fn wrong(what: &str, phase: Option<&Phase>) -> ArMicroStatus {
    let now = phase.map_or("empty: load comes first", Phase::name);
    status::fail(PHASE, format_args!("{what}; it is {now}"))
}
