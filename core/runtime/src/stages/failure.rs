//! The failure of a call into a plugin.

use arenite_abi::Status;
use arenite_abi::raw::ArStatus;

use crate::host::message;

/// Status and message of a failed call into a plugin.
pub(crate) struct Failure {
    pub status: Status,
    pub message: String,
}

impl Failure {
    pub(crate) fn poisoned() -> Self {
        let message =
            "it panicked before and is not called again; call allocate() for a new instance".to_owned();
        Failure { status: Status::Panicked, message }
    }

    pub(crate) fn memory(error: crate::Error) -> Self {
        Failure { status: Status::OutOfMemory, message: error.to_string() }
    }

    pub(crate) fn of(status: ArStatus) -> Self {
        let status = match Status::from_raw(status) {
            Status::Ok => Status::Internal,
            other => other,
        };
        let silent = match status {
            Status::Unsupported => "it is not supported, the plugin does not say why",
            Status::Cancelled => "it was cancelled",
            Status::Panicked => "the plugin panicked",
            Status::Unavailable => "its device is not available, the plugin does not say why",
            _ => "it failed without a message",
        };
        Failure { status, message: message::take_message(silent) }
    }
}
