//! The library's log: passes `tracing` events of the runtime and its plugins to a callback of the program.

use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

use crate::error::{AR_ERROR_STATE, ArError, Failure, Result, c_string, guard};

/// `AR_LOG_*`.
pub type ArLogLevel = u32;
/// Logs nothing.
pub const AR_LOG_OFF: ArLogLevel = 0;
/// An operation failed.
pub const AR_LOG_ERROR: ArLogLevel = 1;
/// Something is wrong, but the operation continues.
pub const AR_LOG_WARN: ArLogLevel = 2;
/// Information for users.
pub const AR_LOG_INFO: ArLogLevel = 3;
/// Information for developers.
pub const AR_LOG_DEBUG: ArLogLevel = 4;
/// All events.
pub const AR_LOG_TRACE: ArLogLevel = 5;

type LogFn = unsafe extern "C" fn(
    level: ArLogLevel,
    target: *const c_char,
    message: *const c_char,
    user_data: *mut c_void,
);

/// Called for each line of the log.
pub type ArLogCallback = Option<LogFn>;

/// The program's callback and its user data.
struct Sink {
    callback: LogFn,
    user_data: *mut c_void,
}

// SAFETY: the header documents that the callback may be called on any thread, and on several at the same time.
unsafe impl Send for Sink {}
// SAFETY: see `Send`.
unsafe impl Sync for Sink {}

static SINK: RwLock<Option<Sink>> = RwLock::new(None);
static MAX_LEVEL: AtomicU32 = AtomicU32::new(AR_LOG_OFF);

thread_local! {
    /// Whether this thread is in the callback and thus holds the lock.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Sends the log of the process to a callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_set_log_callback(
    callback: ArLogCallback,
    user_data: *mut c_void,
    max_level: ArLogLevel,
) -> *mut ArError {
    guard(|| {
        if max_level > AR_LOG_TRACE {
            return Err(Failure::argument(format!(
                "argument 'max_level' is {max_level}; AR_LOG_TRACE is {AR_LOG_TRACE}"
            )));
        }
        if IN_CALLBACK.get() {
            return Err(Failure::new(AR_ERROR_STATE, "the log callback cannot set the log callback"));
        }
        install()?;
        // The write lock waits until calls of the old callback have returned.
        *SINK.write().unwrap_or_else(PoisonError::into_inner) =
            callback.map(|callback| Sink { callback, user_data });
        let level = if callback.is_some() { max_level } else { AR_LOG_OFF };
        MAX_LEVEL.store(level, Ordering::Relaxed);
        tracing::callsite::rebuild_interest_cache();
        Ok(())
    })
}

/// Installs this library as the subscriber of its own copy of `tracing`, once.
fn install() -> Result<()> {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    let installed = INSTALLED
        .get_or_init(|| tracing::dispatcher::set_global_default(Dispatch::new(CallbackLayer)).is_ok());
    if *installed {
        return Ok(());
    }
    Err(Failure::new(AR_ERROR_STATE, "the program has already installed its own tracing subscriber"))
}

/// Forwards events to the callback. Spans are ignored.
struct CallbackLayer;

impl Subscriber for CallbackLayer {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && number(metadata.level()) <= MAX_LEVEL.load(Ordering::Relaxed)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(match MAX_LEVEL.load(Ordering::Relaxed) {
            AR_LOG_OFF => LevelFilter::OFF,
            AR_LOG_ERROR => LevelFilter::ERROR,
            AR_LOG_WARN => LevelFilter::WARN,
            AR_LOG_INFO => LevelFilter::INFO,
            AR_LOG_DEBUG => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        })
    }

    fn event(&self, event: &Event<'_>) {
        // An event caused by the callback is dropped, since it would call the callback again.
        if IN_CALLBACK.get() {
            return;
        }
        let mut line = Line::default();
        event.record(&mut line);
        let metadata = event.metadata();
        let (target, message) = (c_string(metadata.target()), c_string(&line.finish()));
        let sink = SINK.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(sink) = &*sink {
            IN_CALLBACK.set(true);
            // SAFETY: the program passed the callback together with the pointer; both strings exist until it returns.
            unsafe {
                (sink.callback)(number(metadata.level()), target.as_ptr(), message.as_ptr(), sink.user_data);
            }
            IN_CALLBACK.set(false);
        }
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn number(level: &Level) -> ArLogLevel {
    match *level {
        Level::ERROR => AR_LOG_ERROR,
        Level::WARN => AR_LOG_WARN,
        Level::INFO => AR_LOG_INFO,
        Level::DEBUG => AR_LOG_DEBUG,
        Level::TRACE => AR_LOG_TRACE,
    }
}

/// A line of the log: the message, followed by the other fields as ` name=value`.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Line {
    fn finish(self) -> String {
        self.message + &self.fields
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a String fails only if the value's own formatting does. Then the field is incomplete.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
