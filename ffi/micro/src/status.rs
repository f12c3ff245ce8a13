//! What a call gives back: a number for programs, and a text for people, of which there is one in the program.

use core::cell::UnsafeCell;
use core::ffi::c_char;
use core::fmt::{self, Write};

use arenite_micro::Error;

/// `ArMicroStatus` of the header.
pub(crate) type ArMicroStatus = u32;

pub(crate) const OK: ArMicroStatus = 0;
pub(crate) const ARGUMENT: ArMicroStatus = 1;
pub(crate) const PHASE: ArMicroStatus = 2;
pub(crate) const ARENA: ArMicroStatus = 3;
pub(crate) const MODEL: ArMicroStatus = 4;
pub(crate) const OPS: ArMicroStatus = 5;
pub(crate) const MISSING_OP: ArMicroStatus = 6;
pub(crate) const NODE: ArMicroStatus = 7;
pub(crate) const TENSOR: ArMicroStatus = 8;
pub(crate) const PLAN: ArMicroStatus = 9;
pub(crate) const INDEX: ArMicroStatus = 10;

/// The number of an error.
fn number(error: &Error) -> ArMicroStatus {
    match error {
        Error::Arena { .. } => ARENA,
        Error::Misaligned { .. } | Error::Model(_) => MODEL,
        Error::Duplicate { .. } | Error::Alignment { .. } | Error::Full { .. } => OPS,
        Error::MissingOp { .. } => MISSING_OP,
        Error::Node { .. } => NODE,
        Error::Tensor { .. } => TENSOR,
        Error::Offline { .. } | Error::Plan(_) => PLAN,
        Error::Index { .. } => INDEX,
        _ => PHASE,
    }
}

/// Bytes of the text, with the zero at its end.
const ROOM: usize = 256;

/// The text of the call that failed last.
struct Text(UnsafeCell<[u8; ROOM]>);

// SAFETY: the header's rule: one thread at a time calls the library.
unsafe impl Sync for Text {}

static TEXT: Text = Text(UnsafeCell::new([0; ROOM]));

/// What is written into the text; what has no room is left out.
struct Rest<'t>(&'t mut [u8]);

impl Write for Rest<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let bytes = text.len().min(self.0.len());
        let (here, rest) = core::mem::take(&mut self.0).split_at_mut(bytes);
        here.copy_from_slice(&text.as_bytes()[..bytes]);
        self.0 = rest;
        Ok(())
    }
}

/// The number of a failure whose text this is.
#[inline(never)]
pub(crate) fn fail(status: ArMicroStatus, text: fmt::Arguments<'_>) -> ArMicroStatus {
    // SAFETY: one thread at a time is in the library, and nothing that is formatted calls it.
    let room = unsafe { &mut *TEXT.0.get() };
    room.fill(0);
    // Writing never fails; the last byte stays zero.
    let mut rest = Rest(&mut room[..ROOM - 1]);
    let _ = match cfg!(feature = "messages") {
        true => rest.write_fmt(text),
        false => rest.write_str(KINDS.get(status as usize).copied().unwrap_or_default()),
    };
    status
}

/// What is said of each status where there are no messages.
const KINDS: [&str; 11] = [
    "",
    "an argument is wrong",
    "the phase is wrong",
    "the arena is too small",
    "the model is malformed or misaligned",
    "the list of ops is wrong",
    "an op is missing",
    "an op refuses its node",
    "a tensor cannot be held",
    "the plan is wrong",
    "the index is out of range",
];

/// The number of an error, whose text is kept.
pub(crate) fn failed(error: &Error) -> ArMicroStatus {
    fail(number(error), format_args!("{error}"))
}

/// The number of a result.
pub(crate) fn of(result: Result<(), Error>) -> ArMicroStatus {
    match result {
        Ok(()) => OK,
        Err(error) => failed(&error),
    }
}

/// The text of the last failure; empty before the first.
#[unsafe(no_mangle)]
pub extern "C" fn ar_micro_error() -> *const c_char {
    TEXT.0.get().cast_const().cast()
}
