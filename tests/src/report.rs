//! What a suite's summary looks like.

use std::fmt;
use std::io::{self, Write};

use crate::suite::{Counts, Summary};

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// Failures, a table by family, and the totals as the last line.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            for message in &failure.messages {
                writeln!(f, "FAIL {}: {message}", failure.case)?;
            }
        }
        let ran = |counts: &Counts| counts.passed + counts.failed > 0;
        let rows: Vec<_> = self.ops.iter().filter(|(_, counts)| ran(counts)).collect();
        let width = rows.iter().map(|(op, _)| op.len()).max().unwrap_or(0).max(4);
        writeln!(f, "\n{:width$}  {:>6}  {:>6}  {:>7}", "op", "passed", "failed", "skipped")?;
        for (op, Counts { passed, failed, skipped }) in rows {
            writeln!(f, "{op:width$}  {passed:>6}  {failed:>6}  {skipped:>7}")?;
        }
        if self.delegated > 0 {
            writeln!(f, "\n{} of {} nodes ran on delegates", self.delegated, self.nodes)?;
        }
        writeln!(f, "\n{}", self.totals)
    }
}

/// How a summary is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// One JSON document.
    Json,
}

/// Writes a summary to standard output.
pub fn print(summary: &Summary, form: Form) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match form {
        Form::Text => write!(out, "{summary}"),
        Form::Json => {
            serde_json::to_writer_pretty(&mut out, summary)?;
            writeln!(out)
        }
    }
}
