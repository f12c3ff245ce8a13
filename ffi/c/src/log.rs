//! The library's log: what the runtime and its plugins say through `tracing`, handed to a function of the program.

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
/// Nothing.
pub const AR_LOG_OFF: ArLogLevel = 0;
/// Something failed.
pub const AR_LOG_ERROR: ArLogLevel = 1;
/// Something is not as it should be, work goes on.
pub const AR_LOG_WARN: ArLogLevel = 2;
/// What a user wants to know.
pub const AR_LOG_INFO: ArLogLevel = 3;
/// What a developer wants to know.
pub const AR_LOG_DEBUG: ArLogLevel = 4;
/// Everything.
pub const AR_LOG_TRACE: ArLogLevel = 5;

type LogFn = unsafe extern "C" fn(
    level: ArLogLevel,
    target: *const c_char,
    message: *const c_char,
    user_data: *mut c_void,
);

/// Called for each line.
pub type ArLogCallback = Option<LogFn>;

/// Where lines go.
struct Sink {
    callback: LogFn,
    user_data: *mut c_void,
}

// SAFETY: the header says that the callback is called on any thread, several at a time.
unsafe impl Send for Sink {}
// SAFETY: as above.
unsafe impl Sync for Sink {}

static SINK: RwLock<Option<Sink>> = RwLock::new(None);
static MAX_LEVEL: AtomicU32 = AtomicU32::new(AR_LOG_OFF);

thread_local! {
    /// Whether this thread is inside the callback, and so holds the lock.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Sends the log of the process to a function.
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
        // Waits for calls of the old callback to return.
        *SINK.write().unwrap_or_else(PoisonError::into_inner) =
            callback.map(|callback| Sink { callback, user_data });
        let level = if callback.is_some() { max_level } else { AR_LOG_OFF };
        MAX_LEVEL.store(level, Ordering::Relaxed);
        tracing::callsite::rebuild_interest_cache();
        Ok(())
    })
}

/// Makes this library the subscriber of its own copy of `tracing`, once.
fn install() -> Result<()> {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    let installed =
        INSTALLED.get_or_init(|| tracing::dispatcher::set_global_default(Dispatch::new(Forward)).is_ok());
    if *installed {
        return Ok(());
    }
    Err(Failure::new(AR_ERROR_STATE, "the program's own tracing subscriber gets the log already"))
}

/// Hands events on; spans are of no use to a line of text.
struct Forward;

impl Subscriber for Forward {
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
        // A line that the callback itself causes is dropped: it would call the callback again.
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
            // SAFETY: the program's function with its argument; both texts live until it returns.
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

/// The message, then the other fields as ` name=value`.
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
        // Writing to a String does not fail, unless the value's own formatting does; then the field is cut.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
