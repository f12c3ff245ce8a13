//! What the runtime and the plugins log, to stderr: warnings always, stages with their times under `-v`.

use std::fmt;

use anstyle::{AnsiColor, Style};
use arenite::text::{Lines, Visible};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::{self, FmtSpan, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::LookupSpan;

/// A layer of a subscriber, whatever it is made of.
pub type BoxedLayer<S> = Box<dyn tracing_subscriber::Layer<S> + Send + Sync>;

/// Starts to log. Called once.
pub fn start(level: LevelFilter) {
    tracing_subscriber::registry().with(layer(level)).init();
}

/// What so many `-v` ask for.
pub fn level(verbose: u8) -> LevelFilter {
    match verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    }
}

/// Prints warnings as `warning: …`, or under `-v` everything of its level, spans when they end.
pub fn layer<S>(level: LevelFilter) -> BoxedLayer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    // This stream drops colours unless it is a terminal.
    let fields = format::debug_fn(|writer, field, value| match field.name() {
        "message" => write!(writer, "{}", Lines(format_args!("{value:?}"))),
        name => write!(writer, "{name}={}", Visible(format_args!("{value:?}"))),
    });
    let layer =
        tracing_subscriber::fmt::layer().with_writer(anstream::stderr).fmt_fields(fields.delimited(" "));
    if level <= LevelFilter::WARN {
        return layer.event_format(Plain).with_filter(level).boxed();
    }
    let timer = tracing_subscriber::fmt::time::uptime();
    layer.compact().with_timer(timer).with_span_events(FmtSpan::CLOSE).with_filter(level).boxed()
}

/// Prints a note that is no warning: `note: …`.
pub fn note(text: fmt::Arguments<'_>) {
    use std::io::Write;
    const NOTE: Style = AnsiColor::Cyan.on_default();
    // A closed stderr is no reason to stop.
    let _ = writeln!(anstream::stderr(), "{NOTE}note:{NOTE:#} {}", Lines(text));
}

/// `warning: message`, as compilers do.
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
            _ => ("warning", AnsiColor::Yellow.on_default().bold()),
        };
        write!(writer, "{style}{word}:{style:#} ")?;
        context.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}
