//! `ArMicro`: an interpreter in the program's memory, and its phase.
//!
//! ```text
//! zeros ─► load ─► Loaded ─► prepare ─► Prepared ─► plan ─► Ready ─► close ─► zeros
//!       └► add ───────────────────────────────────────────► Ready ─► close ─► zeros
//! ```
//!
//! A call in the wrong phase is rejected. A call that fails leaves zeros.

use core::mem::MaybeUninit;

use arenite_micro::{AnyPhase, Error, Stage, Turn};

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

/// The model; [`ArMicro::is_open`] tells whether there is one.
pub(crate) type Phase = AnyPhase<'static>;

const _: () =
    assert!(size_of::<Option<Phase>>() <= size_of::<Room>() && align_of::<Phase>() <= align_of::<Room>());

fn name_of(phase: &Phase) -> &'static str {
    match phase.stage() {
        Stage::Loaded => "loaded: prepare comes next",
        Stage::Prepared => "prepared: plan comes next",
        Stage::Ready => "ready to run: close comes before another model",
    }
}

impl ArMicro {
    pub(crate) fn phase(&self) -> Option<&Phase> {
        if self.is_open == 0 {
            return None;
        }
        // SAFETY: `is_open` is 1 only after `open` wrote an `Option<Phase>` to `room`, until `close` drops it.
        unsafe { &*self.room.as_ptr().cast::<Option<Phase>>() }.as_ref()
    }

    pub(crate) fn phase_mut(&mut self) -> Option<&mut Phase> {
        if self.is_open == 0 {
            return None;
        }
        // SAFETY: as in `phase`.
        unsafe { &mut *self.room.as_mut_ptr().cast::<Option<Phase>>() }.as_mut()
    }

    /// Drops the model, so that the interpreter is empty.
    pub(crate) fn close(&mut self) {
        if core::mem::take(&mut self.is_open) != 0 {
            // SAFETY: `is_open` was 1, so `room` holds an `Option<Phase>`, and it is now 0, so it is dropped only once.
            unsafe { self.room.as_mut_ptr().cast::<Option<Phase>>().drop_in_place() };
        }
    }

    /// Lets `load` place a model here. The interpreter must be empty, and stays empty after an error.
    pub(crate) fn open(
        &mut self,
        load: impl FnOnce(&mut Option<Phase>) -> Result<(), Error>,
    ) -> ArMicroStatus {
        let place = self.room.as_mut_ptr().cast::<Option<Phase>>();
        // SAFETY: `room` is large enough for an `Option<Phase>` and aligned for it.
        let place = unsafe {
            place.write(None);
            &mut *place
        };
        let loaded = load(place);
        self.is_open = 1;
        self.reached(loaded)
    }

    /// Reports that the next phase was reached, or why not; after an error the interpreter is empty.
    pub(crate) fn reached(&mut self, done: Result<(), Error>) -> ArMicroStatus {
        self.needed = 0;
        match done {
            Ok(()) => status::OK,
            Err(error) => {
                self.close();
                if let Error::Arena { needed, .. } | Error::PersistentArena { needed, .. } = error {
                    self.needed = needed;
                }
                status::failed(&error)
            }
        }
    }

    /// The model in this stage.
    pub(crate) fn at(&mut self, stage: Stage, otherwise: &str) -> Result<&mut Phase, ArMicroStatus> {
        if self.phase().is_none_or(|phase| phase.stage() != stage) {
            return Err(wrong(otherwise, self.phase()));
        }
        self.phase_mut().ok_or(PHASE)
    }

    /// The model, if it is ready to run.
    pub(crate) fn ready(&mut self) -> Result<Turn<'_, 'static>, ArMicroStatus> {
        self.at(Stage::Ready, "it is not ready to run")?.turn().ok_or(PHASE)
    }
}

/// The error of a call in the wrong phase.
pub(crate) fn wrong(what: &str, phase: Option<&Phase>) -> ArMicroStatus {
    let now = phase.map_or("empty: load comes first", name_of);
    status::fail(PHASE, format_args!("{what}; it is {now}"))
}
