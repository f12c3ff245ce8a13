//! The result of a call: a number for programs, and a text for people, of which there is a single one in the program.

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

/// The status code of an error.
fn number(error: &Error) -> ArMicroStatus {
    match error {
        Error::Arena { .. } | Error::PersistentArena { .. } => ARENA,
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

/// Size of the text in bytes, including the terminating zero.
const ROOM: usize = 256;

/// The message of the last call that failed.
struct Text(UnsafeCell<[u8; ROOM]>);

// SAFETY: the header requires that only one thread at a time calls the library.
unsafe impl Sync for Text {}

static TEXT: Text = Text(UnsafeCell::new([0; ROOM]));

/// The rest of the text's buffer; text beyond it is dropped.
struct TextBuffer<'t>(&'t mut [u8]);

impl Write for TextBuffer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let bytes = text.len().min(self.0.len());
        let (here, rest) = core::mem::take(&mut self.0).split_at_mut(bytes);
        here.copy_from_slice(&text.as_bytes()[..bytes]);
        self.0 = rest;
        Ok(())
    }
}

/// Stores the message and returns the status.
#[inline(never)]
pub(crate) fn fail(status: ArMicroStatus, text: fmt::Arguments<'_>) -> ArMicroStatus {
    // SAFETY: only one thread at a time calls the library, and formatting the arguments does not call `fail` again.
    let room = unsafe { &mut *TEXT.0.get() };
    room.fill(0);
    // Writing cannot fail. The last byte is reserved for the terminating zero.
    let mut rest = TextBuffer(&mut room[..ROOM - 1]);
    let _ = match cfg!(feature = "messages") {
        true => rest.write_fmt(text),
        false => rest.write_str(KINDS.get(status as usize).copied().unwrap_or_default()),
    };
    status
}

/// The messages without the feature `messages`.
const KINDS: [&str; 11] = [
    "",
    "an argument is invalid",
    "the call does not fit the phase",
    "the arena is too small",
    "the model is malformed, misaligned or not supported",
    "the list of ops is invalid",
    "an op is missing",
    "an op rejected its node or failed",
    "a tensor has an unsupported type or size",
    "the model's plan is missing or invalid",
    "the index is out of range",
];

/// Stores the message of an error and returns its status.
pub(crate) fn failed(error: &Error) -> ArMicroStatus {
    fail(number(error), format_args!("{error}"))
}

/// The status of a result; an error stores its message.
pub(crate) fn of(result: Result<(), Error>) -> ArMicroStatus {
    match result {
        Ok(()) => OK,
        Err(error) => failed(&error),
    }
}

/// The message of the last failure; empty before the first one.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn ar_micro_error() -> *const c_char {
    TEXT.0.get().cast_const().cast()
}
