//! Records the runtime's spans as a Chrome trace: stages, invocations and nodes, nested as they ran.

use std::cell::Cell;
use std::fmt::Debug;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arenite::trace::{ChromeTrace, TraceEvent, TraceValue};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::LookupSpan;

use crate::answer::{Failure, Result};
use crate::logging;

/// Target of the events that report how long a delegate's steps took.
const STEPS: &str = "arenite::steps";

/// Enough for several hundred thousand events.
const CAPACITY: usize = 64 << 20;

/// Collects the spans of code that runs inside [`record`](Self::record).
pub(crate) struct Recorder {
    trace: Arc<Mutex<ChromeTrace>>,
    origin: Instant,
    verbose: u8,
}

impl Recorder {
    pub(crate) fn new(verbose: u8) -> Self {
        let trace = Arc::new(Mutex::new(ChromeTrace::with_capacity(CAPACITY)));
        Recorder { trace, origin: Instant::now(), verbose }
    }

    /// Runs `work` and collects its spans on this thread. Other code is not slowed down.
    pub(crate) fn record<T>(&self, work: impl FnOnce() -> T) -> T {
        let layer = Spans { trace: Arc::clone(&self.trace), origin: self.origin };
        let subscriber =
            tracing_subscriber::registry().with(logging::layer(logging::level(self.verbose))).with(layer);
        let result = tracing::subscriber::with_default(subscriber, work);
        tracing::callsite::rebuild_interest_cache();
        result
    }

    /// Writes the trace to a file.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let fail = |error: std::io::Error| Failure::with(path.display(), error);
        let mut file = std::io::BufWriter::new(std::fs::File::create(path).map_err(fail)?);
        self.trace.lock().unwrap_or_else(PoisonError::into_inner).write_to(&mut file).map_err(fail)
    }
}

/// The layer that turns spans into trace events.
struct Spans {
    trace: Arc<Mutex<ChromeTrace>>,
    origin: Instant,
}

/// The state of an open span.
struct Open {
    start: Instant,
    fields: Fields,
    /// Total time of the delegate's steps reported so far.
    told: Duration,
}

impl<S> Layer<S> for Spans
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let metadata = attributes.metadata();
        let ours = matches!(metadata.target().split("::").next(), Some("arenite" | "arenite_runtime"));
        let Some(span) = context.span(id).filter(|_| ours && metadata.level() <= &Level::TRACE) else {
            return;
        };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        span.extensions_mut().insert(Open { start: Instant::now(), fields, told: Duration::ZERO });
    }

    /// Records a step of a delegate. Steps are drawn one after another from the start of their node, with the durations
    /// that the delegate reports.
    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if event.metadata().target() != STEPS {
            return;
        }
        let Some(span) = context.event_span(event) else { return };
        let mut extensions = span.extensions_mut();
        let Some(open) = extensions.get_mut::<Open>() else { return };
        let mut fields = Fields::default();
        event.record(&mut fields);
        let (Some(Fact::Text(op)), Some(Fact::Integer(time))) =
            (fields.find("op"), fields.find("nanoseconds"))
        else {
            return;
        };
        let (start, duration) = (open.start + open.told, Duration::from_nanos(time.unsigned_abs()));
        open.told += duration;
        self.record(op, "step", start, duration, &[]);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let end = Instant::now();
        let Some(span) = context.span(&id) else { return };
        let Some(open) = span.extensions_mut().remove::<Open>() else { return };
        let category = span.name();
        let name = open.fields.name_of(category);
        let args = open.fields.0.iter().map(|(key, value)| (*key, value.borrowed())).collect::<Vec<_>>();
        let duration = end.saturating_duration_since(open.start);
        self.record(&name, category, open.start, duration, &args);
    }
}

impl Spans {
    fn record(
        &self,
        name: &str,
        category: &str,
        start: Instant,
        duration: Duration,
        args: &[(&str, TraceValue<'_>)],
    ) {
        let event = TraceEvent {
            name,
            category,
            start: start.saturating_duration_since(self.origin),
            duration: duration.max(Duration::from_nanos(1)),
            thread: thread_number(),
            args,
        };
        self.trace.lock().unwrap_or_else(PoisonError::into_inner).record(&event);
    }
}

/// The fields of a span.
#[derive(Default)]
struct Fields(Vec<(&'static str, Fact)>);

enum Fact {
    Text(String),
    Integer(i64),
    Float(f64),
}

impl Fact {
    fn borrowed(&self) -> TraceValue<'_> {
        match self {
            Fact::Text(text) => TraceValue::Text(text),
            Fact::Integer(number) => TraceValue::Integer(*number),
            Fact::Float(number) => TraceValue::Float(*number),
        }
    }
}

impl Fields {
    /// `CONV_2D (node 12)` for a node, the stage's name otherwise.
    fn name_of(&self, category: &str) -> String {
        match (self.find("op"), self.find("index")) {
            (Some(Fact::Text(op)), Some(Fact::Integer(index))) => format!("{op} (node {index})"),
            _ => category.to_owned(),
        }
    }

    fn find(&self, name: &str) -> Option<&Fact> {
        self.0.iter().find(|(key, _)| *key == name).map(|(_, fact)| fact)
    }

    fn push(&mut self, field: &Field, fact: Fact) {
        self.0.push((field.name(), fact));
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.push(field, Fact::Text(value.to_owned()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.push(field, Fact::Integer(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.push(field, i64::try_from(value).map_or(Fact::Float(value as f64), Fact::Integer));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.push(field, Fact::Float(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.push(field, Fact::Text(format!("{value:?}")));
    }
}

/// A small number that identifies this thread.
fn thread_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: Cell<u64> = const { Cell::new(0) });
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}
