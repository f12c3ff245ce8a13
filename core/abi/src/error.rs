//! Errors of plugins: a status and a short message, stored without a heap.

use core::fmt;

/// The result of plugin functions.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// The status codes of the ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    /// No error.
    Ok = 0,
    /// The model, a shape or an option is invalid; another plugin would reject it as well.
    Invalid = 1,
    /// Valid, but not supported by this implementation: the host tries the next candidate.
    Unsupported = 2,
    /// The system or a quota refused memory.
    OutOfMemory = 3,
    /// The caller cancelled the invocation.
    Cancelled = 4,
    /// The plugin panicked. The instance is not called again.
    Panicked = 5,
    /// The host or the plugin violated the ABI's rules.
    Internal = 6,
    /// A device is missing or lost, or its memory is exhausted.
    Unavailable = 7,
}

impl Status {
    /// The status with this code; an unknown code is [`Status::Internal`].
    pub const fn from_raw(raw: u32) -> Status {
        match raw {
            0 => Status::Ok,
            1 => Status::Invalid,
            2 => Status::Unsupported,
            3 => Status::OutOfMemory,
            4 => Status::Cancelled,
            5 => Status::Panicked,
            7 => Status::Unavailable,
            _ => Status::Internal,
        }
    }
}

/// Maximum length of a message in bytes. A longer one is cut at a character boundary and ends with `…`.
pub const MESSAGE_CAPACITY: usize = 232;

#[cfg(feature = "messages")]
const ELLIPSIS: &str = "…";

/// At most [`MESSAGE_CAPACITY`] bytes of text.
#[cfg(feature = "messages")]
#[derive(Clone, Copy)]
struct Text {
    length: u8,
    text: [u8; MESSAGE_CAPACITY],
}

#[cfg(feature = "messages")]
impl Text {
    fn new(message: fmt::Arguments<'_>) -> Self {
        let mut text = Text { length: 0, text: [0; MESSAGE_CAPACITY] };
        // `write_str` marks the cut and stops the formatter, which is not an error here.
        let _ = fmt::write(&mut text, message);
        text
    }

    fn as_str(&self) -> &str {
        core::str::from_utf8(&self.text[..self.length as usize]).unwrap_or("(message is not text)")
    }

    fn last_boundary(&self, limit: usize) -> usize {
        let limit = limit.min(self.length as usize);
        (0..=limit).rev().find(|&i| self.as_str().is_char_boundary(i)).unwrap_or(0)
    }
}

#[cfg(feature = "messages")]
impl fmt::Write for Text {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let start = self.length as usize;
        let room = MESSAGE_CAPACITY - start;
        if s.len() <= room {
            self.text[start..start + s.len()].copy_from_slice(s.as_bytes());
            self.length += s.len() as u8;
            return Ok(());
        }
        // The existing text plus the part of `s` that fits, minus the room for the mark.
        let keep = (MESSAGE_CAPACITY - ELLIPSIS.len()).saturating_sub(start);
        let cut = (0..=keep.min(s.len())).rev().find(|&i| s.is_char_boundary(i)).unwrap_or(0);
        self.text[start..start + cut].copy_from_slice(&s.as_bytes()[..cut]);
        let end = if keep == 0 { self.last_boundary(MESSAGE_CAPACITY - ELLIPSIS.len()) } else { start + cut };
        self.text[end..end + ELLIPSIS.len()].copy_from_slice(ELLIPSIS.as_bytes());
        self.length = (end + ELLIPSIS.len()) as u8;
        Err(fmt::Error)
    }
}

/// An error: a [`Status`] and a message of at most [`MESSAGE_CAPACITY`] bytes, stored inline. Without the feature
/// `messages` it is the status alone.
///
/// The host adds the op, the node and the tensors' names in front. The message should name both values and the remedy.
#[derive(Clone, Copy)]
pub struct Error {
    status: Status,
    #[cfg(feature = "messages")]
    text: Text,
}

impl Error {
    /// Creates an error with this status and message.
    #[cfg(feature = "messages")]
    pub fn new(status: Status, message: fmt::Arguments<'_>) -> Self {
        Error { status, text: Text::new(message) }
    }

    /// Creates an error with this status.
    #[cfg(not(feature = "messages"))]
    #[inline(always)]
    pub fn new(status: Status, _: fmt::Arguments<'_>) -> Self {
        Error { status }
    }

    /// The message of the error.
    pub fn message(&self) -> &str {
        #[cfg(feature = "messages")]
        return self.text.as_str();
        #[cfg(not(feature = "messages"))]
        ""
    }

    /// [`Status::Invalid`] with this message. See also [`ensure!`](crate::ensure) and [`invalid!`](crate::invalid).
    #[cfg_attr(not(feature = "messages"), inline(always))]
    pub fn invalid(message: fmt::Arguments<'_>) -> Self {
        Error::new(Status::Invalid, message)
    }

    /// [`Status::Unsupported`]: `op` has no kernel for `ty`.
    #[cfg_attr(not(feature = "messages"), inline(always))]
    pub fn unsupported(op: &str, ty: crate::ElementType) -> Self {
        Error::new(Status::Unsupported, format_args!("{op} has no kernel for {ty}"))
    }

    /// The status of the error.
    pub fn status(&self) -> Status {
        self.status
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.status, self.message())
    }
}

impl core::error::Error for Error {}

/// Returns an [`Error::invalid`] with the formatted message from the enclosing function unless the condition holds.
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return ::core::result::Result::Err($crate::invalid!($($message)+));
        }
    };
}

/// An [`Error::invalid`](crate::Error::invalid) with the formatted message.
#[macro_export]
macro_rules! invalid {
    ($($message:tt)+) => { $crate::Error::invalid(::core::format_args!($($message)+)) };
}

/// An error with [`Status::Unsupported`](crate::Status::Unsupported) and the formatted message.
#[macro_export]
macro_rules! unsupported {
    ($($message:tt)+) => {
        $crate::Error::new($crate::Status::Unsupported, ::core::format_args!($($message)+))
    };
}

/// An error with [`Status::Unavailable`](crate::Status::Unavailable) and the formatted message.
#[macro_export]
macro_rules! unavailable {
    ($($message:tt)+) => {
        $crate::Error::new($crate::Status::Unavailable, ::core::format_args!($($message)+))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_code_and_others_are_internal() {
        let all = [
            Status::Ok,
            Status::Invalid,
            Status::Unsupported,
            Status::OutOfMemory,
            Status::Cancelled,
            Status::Panicked,
            Status::Internal,
            Status::Unavailable,
        ];
        for (number, status) in (0..).zip(all) {
            assert_eq!((status as u32, Status::from_raw(number)), (number, status));
        }
        assert_eq!(Status::from_raw(8), Status::Internal);
        assert_eq!(unavailable!("no {}", "device").status(), Status::Unavailable);
    }

    #[test]
    fn long_messages_are_cut_at_a_character() {
        for n in 0..300 {
            let text = "ä".repeat(n / 2) + &"b".repeat(n % 7);
            let error = invalid!("{}{}", "x".repeat(n % 3), text);
            assert!(error.message().len() <= MESSAGE_CAPACITY);
            let whole = "x".repeat(n % 3) + &text;
            if whole.len() <= MESSAGE_CAPACITY {
                assert_eq!(error.message(), whole);
            } else {
                assert!(error.message().ends_with(ELLIPSIS), "{n}: {error}");
                assert!(whole.starts_with(error.message().trim_end_matches(ELLIPSIS)));
            }
        }
    }
}
