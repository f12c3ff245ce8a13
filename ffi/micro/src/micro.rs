//! `ArMicro`: an interpreter in memory that the program owns, and the phase that it is in.
//!
//! ```text
//! zeros ─► load ─► Loaded ─► prepare ─► Prepared ─► plan ─► Ready ─► close ─► zeros
//! ```
//!
//! What is done in another phase is refused. Whatever fails on the way leaves zeros.

use core::mem::MaybeUninit;

use arenite_micro::{Error, Interpreter, Loaded, PreparedModel};

use crate::status::{self, ArMicroStatus, PHASE};

/// Words of the header's `ArMicro` that hold the phase.
const ROOM: usize = 64;

/// An interpreter. The model, the ops and the arena are the program's, and stay until it is closed: hence `'static`.
#[repr(C)]
pub struct ArMicro {
    /// Whether `room` holds a phase: 0 or 1.
    is_open: usize,
    /// Bytes that the arena of the last call lacked: 0, or the bytes that it should have.
    pub(crate) needed: usize,
    room: MaybeUninit<Room>,
}

#[repr(C, align(8))]
struct Room([usize; ROOM]);

const _: () = assert!(size_of::<Phase>() <= size_of::<Room>() && align_of::<Phase>() <= align_of::<Room>());

/// How far an interpreter has come.
pub(crate) enum Phase {
    Loaded(Loaded<'static>),
    Prepared(PreparedModel<'static>),
    Ready(Interpreter<'static>),
}

impl Phase {
    fn name(&self) -> &'static str {
        match self {
            Phase::Loaded(_) => "loaded: prepare comes next",
            Phase::Prepared(_) => "prepared: plan comes next",
            Phase::Ready(_) => "ready to run: close comes before another model",
        }
    }
}

impl ArMicro {
    pub fn phase(&self) -> Option<&Phase> {
        // SAFETY: `is_open` says that `set` has written a phase, and nobody has taken it.
        (self.is_open != 0).then(|| unsafe { &*self.room.as_ptr().cast::<Phase>() })
    }

    pub fn phase_mut(&mut self) -> Option<&mut Phase> {
        // SAFETY: as in `phase`.
        (self.is_open != 0).then(|| unsafe { &mut *self.room.as_mut_ptr().cast::<Phase>() })
    }

    /// The phase, which is the caller's from now on.
    pub fn take(&mut self) -> Option<Phase> {
        let is_open = core::mem::take(&mut self.is_open) != 0;
        // SAFETY: as in `phase`; the flag is gone, so it is read once.
        is_open.then(|| unsafe { self.room.as_ptr().cast::<Phase>().read() })
    }

    /// The next phase, in place of none; or what went wrong on the way to it.
    pub fn set(&mut self, next: Result<Phase, Error>) -> ArMicroStatus {
        self.needed = 0;
        match next {
            Ok(phase) => {
                // SAFETY: there is room for a phase, aligned.
                unsafe { self.room.as_mut_ptr().cast::<Phase>().write(phase) };
                self.is_open = 1;
                status::OK
            }
            Err(error) => {
                if let Error::Arena { needed, .. } = error {
                    self.needed = needed;
                }
                status::failed(&error)
            }
        }
    }

    /// The interpreter, if it is ready.
    pub fn ready(&mut self) -> Result<&mut Interpreter<'static>, ArMicroStatus> {
        match self.phase_mut() {
            Some(Phase::Ready(interpreter)) => Ok(interpreter),
            other => Err(wrong("it is not ready to run", other.map(|phase| &*phase))),
        }
    }
}

/// The refusal of a call in the wrong phase.
pub(crate) fn wrong(what: &str, phase: Option<&Phase>) -> ArMicroStatus {
    let now = phase.map_or("empty: load comes first", Phase::name);
    status::fail(PHASE, format_args!("{what}; it is {now}"))
}
