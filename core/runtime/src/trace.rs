//! A writer of the Chrome trace event format, which `chrome://tracing` and Perfetto open.
//!
//! Recording appends the event as JSON to a buffer of fixed size. It allocates nothing, so an observer can record
//! during an invocation. Events that do not fit are dropped; the file contains their number.
//!
//! Format: "Trace Event Format", complete events (`"ph": "X"`), times in microseconds.

#![forbid(unsafe_code)]

use std::fmt::{self, Write as _};
use std::io;
use std::time::Duration;

/// Events of one process, as text in a buffer of fixed size.
#[derive(Debug)]
pub struct ChromeTrace {
    text: String,
    capacity: usize,
    events: usize,
    dropped: usize,
    process: u32,
}

/// An interval of time on one thread.
#[derive(Clone, Copy, Debug)]
pub struct TraceEvent<'a> {
    /// The label in the viewer, such as `CONV_2D (node 12)`.
    pub name: &'a str,
    /// The kind of event, such as `node` or `plan`; viewers can filter by it.
    pub category: &'a str,
    /// The time from any origin that all events share to the start of this one. Written with nanosecond precision.
    pub start: Duration,
    /// Its duration.
    pub duration: Duration,
    /// A number that identifies the thread.
    pub thread: u64,
    /// Arguments, shown when the event is selected. Names should be unique.
    pub args: &'a [(&'a str, TraceValue<'a>)],
}

/// The value of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TraceValue<'a> {
    /// Text.
    Text(&'a str),
    /// An integer. Viewers round integers of more than 53 bits.
    Integer(i64),
    /// A number. Infinities and NaN are written as text, because JSON cannot represent them as numbers.
    Float(f64),
}

impl ChromeTrace {
    /// A trace with room for `bytes` bytes of events; an event without `args` takes about 100.
    pub fn with_capacity(bytes: usize) -> Self {
        let text = String::with_capacity(bytes);
        ChromeTrace { text, capacity: bytes, events: 0, dropped: 0, process: std::process::id() }
    }

    /// Adds an event, or counts it as dropped if it does not fit. Never allocates.
    pub fn record(&mut self, event: &TraceEvent<'_>) {
        let before = self.text.len();
        let mut room = Room { text: &mut self.text, capacity: self.capacity };
        match write_event(&mut room, self.process, event) {
            Ok(()) => self.events += 1,
            Err(fmt::Error) => {
                self.text.truncate(before);
                self.dropped += 1;
            }
        }
    }

    /// The number of events in the trace.
    pub fn len(&self) -> usize {
        self.events
    }

    /// Whether the trace has no events.
    pub fn is_empty(&self) -> bool {
        self.events == 0
    }

    /// The number of events that did not fit.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Removes all events and resets the count of dropped ones; keeps the buffer.
    pub fn clear(&mut self) {
        self.text.clear();
        (self.events, self.dropped) = (0, 0);
    }

    /// Writes the whole trace as one JSON object.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write_to(&self, out: &mut dyn io::Write) -> io::Result<()> {
        out.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
        // Each event has a trailing comma and newline.
        out.write_all(self.text.strip_suffix(",\n").unwrap_or(&self.text).as_bytes())?;
        writeln!(out, "],\"otherData\":{{\"dropped_events\":{}}}}}", self.dropped)?;
        out.flush()
    }
}

/// A string that does not grow beyond its capacity.
struct Room<'a> {
    text: &'a mut String,
    capacity: usize,
}

impl fmt::Write for Room<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.capacity - self.text.len() < part.len() {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

fn write_event(out: &mut Room<'_>, process: u32, event: &TraceEvent<'_>) -> fmt::Result {
    let (name, category) = (JsonString(event.name), JsonString(event.category));
    let (start, duration) = (Microseconds(event.start), Microseconds(event.duration));
    write!(out, "{{\"ph\":\"X\",\"name\":{name},\"cat\":{category},\"ts\":{start},\"dur\":{duration},")?;
    write!(out, "\"pid\":{process},\"tid\":{}", event.thread)?;
    for (index, (key, value)) in event.args.iter().enumerate() {
        out.write_str(if index == 0 { ",\"args\":{" } else { "," })?;
        write!(out, "{}:", JsonString(key))?;
        match value {
            TraceValue::Text(text) => write!(out, "{}", JsonString(text))?,
            TraceValue::Integer(number) => write!(out, "{number}")?,
            TraceValue::Float(number) if number.is_finite() => write!(out, "{number:?}")?,
            TraceValue::Float(number) => write!(out, "\"{number:?}\"")?,
        }
    }
    out.write_str(if event.args.is_empty() { "},\n" } else { "}},\n" })
}

struct Microseconds(Duration);

impl fmt::Display for Microseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.as_nanos();
        write!(f, "{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
    }
}

/// A JSON string (RFC 8259, section 7): quotes, backslashes and control characters are escaped.
struct JsonString<'a>(&'a str);

impl fmt::Display for JsonString<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let special = |c: char| c == '"' || c == '\\' || c < ' ';
        f.write_char('"')?;
        for part in self.0.split_inclusive(special) {
            let last = part.chars().next_back().filter(|&c| special(c));
            f.write_str(last.and_then(|c| part.strip_suffix(c)).unwrap_or(part))?;
            match last {
                Some(c @ ('"' | '\\')) => write!(f, "\\{c}")?,
                Some(c) => write!(f, "\\u{:04x}", u32::from(c))?,
                None => (),
            }
        }
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests;
