//! The message of the current call, and refusals, which leave one.

use std::cell::RefCell;
use std::fmt;

use arenite_abi::Status;
use arenite_abi::host_side::Refusal;
use arenite_abi::raw::ArStatus;

use crate::error::{Error, Resource};

/// The longest message in bytes; longer ones are cut.
const MESSAGE_LIMIT: usize = 4096;

thread_local! {
    /// The message of the current call on this thread.
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps a message for the current call on this thread.
pub(crate) fn keep_message(text: &str) {
    MESSAGE.with(|message| {
        if let Ok(mut message) = message.try_borrow_mut() {
            let end =
                (0..=text.len().min(MESSAGE_LIMIT)).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
            message.clear();
            message.push_str(&text[..end]);
        }
    });
}

/// The message of the call that just failed, or `otherwise` if it left none.
pub(crate) fn take_message(otherwise: &str) -> String {
    let text = MESSAGE.with(|message| message.try_borrow_mut().map(|mut m| std::mem::take(&mut *m)));
    match text {
        Ok(text) if !text.is_empty() => text,
        _ => otherwise.to_owned(),
    }
}

/// Drops the message of an earlier call.
pub(crate) fn clear_message() {
    MESSAGE.with(|message| {
        if let Ok(mut message) = message.try_borrow_mut() {
            message.clear();
        }
    });
}

/// The reason why a callback refuses a request: a status, and a message for the plugin.
pub(crate) struct Refused {
    pub status: Status,
    pub message: String,
}

impl Refused {
    /// Keeps the message for the current call; returns the status for the plugin.
    pub(crate) fn report(self) -> ArStatus {
        keep_message(&self.message);
        self.status as ArStatus
    }
}

impl Refusal for Refused {
    fn new(status: Status, message: fmt::Arguments<'_>) -> Self {
        Refused { status, message: message.to_string() }
    }
}

/// An error of the runtime, reported to the node whose call failed. If a node of a called subgraph panicked or has no
/// kernel, the calling node itself did neither, so its status differs.
impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::Cancelled | Error::Quota { resource: Resource::Time, .. } => Status::Cancelled,
            Error::Node { status: Status::Cancelled, .. } => Status::Cancelled,
            Error::Quota { resource: Resource::Bytes | Resource::DeviceBytes, .. }
            | Error::OutOfMemory { .. } => Status::OutOfMemory,
            Error::Node { status: Status::OutOfMemory, .. } => Status::OutOfMemory,
            Error::Node { status: Status::Unavailable, .. } => Status::Unavailable,
            Error::Node { status: Status::Internal | Status::Panicked, .. } => Status::Internal,
            _ => Status::Invalid,
        };
        Refused { status, message: error.to_string() }
    }
}
