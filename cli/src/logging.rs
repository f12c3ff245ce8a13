//! Prints the log of the runtime and the plugins on stderr: warnings always; with `-v` what runs the model; with `-vv`
//! stages and their times.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use anstyle::{AnsiColor, Style};
use arenite::text::{Lines, Visible};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::{self, FmtSpan, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::LookupSpan;

/// A boxed subscriber layer.
pub(crate) type BoxedLayer<S> = Box<dyn tracing_subscriber::Layer<S> + Send + Sync>;

/// Starts logging. Must be called only once.
pub(crate) fn start(level: LevelFilter) {
    tracing_subscriber::registry().with(layer(level)).init();
}

/// The log level for a number of `-v` flags.
pub(crate) fn level(verbose: u8) -> LevelFilter {
    match verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    }
}

/// Prints warnings as `warning: …`; with `-v` also `info: …`; with `-vv` and more every event up to the level, and each
/// stage with its time when it ends.
pub(crate) fn layer<S>(level: LevelFilter) -> BoxedLayer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    // `anstream` drops colours unless stderr is a terminal.
    let fields = format::debug_fn(|writer, field, value| match field.name() {
        "message" => write!(writer, "{}", Lines(format_args!("{value:?}"))),
        name => write!(writer, "{name}={}", Visible(format_args!("{value:?}"))),
    });
    let layer = tracing_subscriber::fmt::layer().with_writer(anstream::stderr);
    if level <= LevelFilter::INFO {
        let message = format::debug_fn(|writer, field, value| match field.name() {
            "message" => write!(writer, "{}", Lines(format_args!("{value:?}"))),
            _ => Ok(()),
        });
        return match level {
            LevelFilter::INFO => layer.event_format(Plain).fmt_fields(message).with_filter(level).boxed(),
            _ => layer.event_format(Plain).fmt_fields(fields.delimited(" ")).with_filter(level).boxed(),
        };
    }
    let layer = layer.fmt_fields(fields.delimited(" "));
    let timer = tracing_subscriber::fmt::time::uptime();
    layer.compact().with_timer(timer).with_span_events(FmtSpan::CLOSE).with_filter(level).boxed()
}

/// Prints a note, which is less than a warning: `note: …`. Each note is printed once.
pub(crate) fn note(text: fmt::Arguments<'_>) {
    use std::io::Write;
    const NOTE: Style = AnsiColor::Cyan.on_default();
    static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let text = text.to_string();
    if !PRINTED.lock().unwrap_or_else(PoisonError::into_inner).insert(text.clone()) {
        return;
    }
    // Keeps going if stderr is closed.
    let _ = writeln!(anstream::stderr(), "{NOTE}note:{NOTE:#} {}", Lines(text));
}

/// Formats events as compilers do: `warning: message`.
struct Plain;

impl<S, N> FormatEvent<S, N> for Plain
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let (word, style) = match *event.metadata().level() {
            Level::ERROR => ("error", AnsiColor::Red.on_default().bold()),
            Level::INFO => ("info", AnsiColor::Cyan.on_default()),
            _ => ("warning", AnsiColor::Yellow.on_default().bold()),
        };
        write!(writer, "{style}{word}:{style:#} ")?;
        context.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}
