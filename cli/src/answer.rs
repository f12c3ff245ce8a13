//! The outcome of a command: text or JSON on stdout, an error on stderr, and the exit status.

use std::fmt::{self, Display};
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use arenite::text::Lines;
use serde::Serialize;

use crate::usage;

/// Exit status when a command succeeds.
const SUCCEEDED: u8 = 0;
/// Exit status when a command fails.
const FAILED: u8 = 1;
/// Exit status when the command line is invalid.
const USAGE: u8 = 2;

const ERROR: Style = AnsiColor::Red.on_default().bold();

/// `std::result::Result` with [`Failure`] as its error.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a command failed, as a message for the user.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// A failure with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Failure(message.into())
    }

    /// An error about `subject`, usually a file.
    pub(crate) fn with(subject: impl Display, error: impl Display) -> Self {
        Failure(format!("{subject}: {error}"))
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<arenite::Error> for Failure {
    fn from(error: arenite::Error) -> Self {
        Failure(error.to_string())
    }
}

/// Text for stdout, and the failure that ended the command, if there was one.
pub(crate) struct Answer {
    text: String,
    failure: Option<Failure>,
}

impl Answer {
    /// Renders `report` as JSON or as text for people.
    pub(crate) fn new<R: Display + Serialize>(report: &R, json: bool) -> Result<Self> {
        let text = if json { to_json(report)? } else { report.to_string() };
        Ok(Answer { text, failure: None })
    }

    /// Renders `report` as JSON.
    pub(crate) fn json(report: &impl Serialize) -> Result<Self> {
        Ok(Answer { text: to_json(report)?, failure: None })
    }

    /// Text that is neither a report nor JSON, such as CSV.
    pub(crate) fn text(text: String) -> Self {
        Answer { text, failure: None }
    }

    /// Renders `report`, then fails. The report contains the error as well, for programs that read the JSON.
    pub(crate) fn failed<R: Display + Serialize>(report: &R, json: bool, failure: Failure) -> Result<Self> {
        Ok(Answer { failure: Some(failure), ..Answer::new(report, json)? })
    }

    /// Prints the answer and returns the exit status.
    pub(crate) fn print(self, json: bool) -> u8 {
        let Answer { mut text, failure } = self;
        if let Some(failure) = &failure {
            print_error(&failure.to_string());
            if text.is_empty() && json {
                text = error_json(&failure.to_string());
            }
        }
        match (print_text(&text), failure) {
            (Ok(()), None) => SUCCEEDED,
            (Ok(()), Some(_)) => FAILED,
            (Err(error), _) => {
                print_error(&format!("stdout: {error}"));
                FAILED
            }
        }
    }
}

impl From<Failure> for Answer {
    fn from(failure: Failure) -> Self {
        Answer { text: String::new(), failure: Some(failure) }
    }
}

/// Prints clap's message: help, version, or a usage error.
pub(crate) fn print_usage(error: &clap::Error, command: clap::Command) -> u8 {
    match usage::unknown_option(error, command) {
        Some(text) => drop(write!(anstream::stderr(), "{text}")),
        None => drop(error.print()),
    }
    if !error.use_stderr() {
        return SUCCEEDED;
    }
    if std::env::args_os().any(|argument| argument == "--json") {
        let text = error.to_string();
        let message = text.split("\n\n").next().unwrap_or_default();
        let words: Vec<&str> = message.split_whitespace().skip_while(|word| *word == "error:").collect();
        let _ = print_text(&error_json(&words.join(" ")));
    }
    USAGE
}

/// Prints to stdout, with colours only on a terminal.
fn print_text(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // A closed pipe, as in `| head`, is not a failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn print_error(message: &str) {
    // If stderr is closed there is nowhere left to report to.
    let _ = writeln!(anstream::stderr(), "{ERROR}error:{ERROR:#} {}", Lines(message));
}

/// The message that the program prints when a limit ends it in the middle of a command.
pub(crate) fn ending(message: &str, json: bool) -> arenite_limits::Ending {
    let mut stderr = anstream::AutoStream::new(Vec::new(), anstream::stderr().current_choice());
    // Writing to a `Vec` cannot fail.
    let _ = writeln!(stderr, "{ERROR}error:{ERROR:#} {}", Lines(message));
    let stdout = if json { error_json(message).into_bytes() } else { Vec::new() };
    arenite_limits::Ending { stdout, stderr: stderr.into_inner(), status: FAILED }
}

fn error_json(message: &str) -> String {
    format!("{}\n", serde_json::json!({ "error": message }))
}

fn to_json(report: &impl Serialize) -> Result<String> {
    let mut text = serde_json::to_string(report).map_err(|e| Failure::with("JSON", e))?;
    text.push('\n');
    Ok(text)
}
